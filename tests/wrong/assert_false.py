# SPDX-License-Identifier: Apache-2.0
"""An assertion that does not hold for these sizes."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        BLOCK = 48
        assert 64 % BLOCK == 0, "BLOCK must divide 64"
        T.fill(B, 0.0)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[assert-failed]: this assertion is false: BLOCK must divide 64
#>   --> assert_false.py, line 11
#>  11 |         assert 64 % BLOCK == 0, "BLOCK must divide 64"
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: BLOCK is 48
