# SPDX-License-Identifier: Apache-2.0
"""A function of T without `T.`."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        for i in Parallel(32):
            B[bx, i] = 0.0


tilelang.compile(main).get_kernel_source()
#> CompileError: error[name-unknown]: `Parallel` is not defined
#>   --> parallel_without_t.py, line 10
#>  10 |         for i in Parallel(32):
#>     |                  ^^^^^^^^
#> help: did you mean `T.Parallel`?
