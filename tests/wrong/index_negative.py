# SPDX-License-Identifier: Apache-2.0
"""A negative index beyond the extent."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        for i in T.Parallel(32):
            B[-65, i] = 0.0


tilelang.compile(main).get_kernel_source()
#> CompileError: error[out-of-bounds]: index -65 of `B` is out of bounds: dimension 0 has 64 elements
#>   --> index_negative.py, line 11
#>   8 | def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
#>     |                                            ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ `B`, a global tensor of 64x32 float32
#>  ...
#>  11 |             B[-65, i] = 0.0
#>     |             ^^^^^^^^^
#> help: use indices from 0 to 63; -1 is the last
