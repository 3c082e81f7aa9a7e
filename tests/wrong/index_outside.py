# SPDX-License-Identifier: Apache-2.0
"""A constant index beyond the extent."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        s = T.alloc_shared((32,), "float32")
        for i in T.Parallel(32):
            s[i] = B[64, i]


tilelang.compile(main).get_kernel_source()
#> CompileError: error[out-of-bounds]: index 64 of `B` is out of bounds: dimension 0 has 64 elements
#>   --> index_outside.py, line 12
#>   8 | def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
#>     |                                            ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ `B`, a global tensor of 64x32 float32
#>  ...
#>  12 |             s[i] = B[64, i]
#>     |                    ^^^^^^^^
#> help: use indices from 0 to 63; -1 is the last
