# SPDX-License-Identifier: Apache-2.0
"""A range of another tensor than the one that is copied."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 8), "float32"), B: T.Tensor((64, 8), "float32")):
    with T.Kernel(1, threads=64) as bx:
        s = T.alloc_shared((64, 8), "float32")
        some = T.make_robust_desc(T.address_of(B[0, 0]), 256)
        T.copy(A, s, src_robust_desc=some)
        T.copy(s, B)


tilelang.compile(main)
#> CompileError: error[statement-unsupported]: a kernel cannot contain src_robust_desc where the range is of `B`
#>   --> range_of_another_tensor.py, line 12
#>   8 | def main(A: T.Tensor((64, 8), "float32"), B: T.Tensor((64, 8), "float32")):
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ `A`, a global tensor of 64x8 float32
#>  ...
#>  12 |         T.copy(A, s, src_robust_desc=some)
#>     |                      ^^^^^^^^^^^^^^^^^^^^
#> help: check the index in a T.Parallel: T.if_then_else(inside, A[i, j], 0)
