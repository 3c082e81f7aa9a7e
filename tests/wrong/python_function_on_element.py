# SPDX-License-Identifier: Apache-2.0
"""math.exp of an element of a buffer."""
import tilelang
import tilelang.language as T


import math

@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        for i in T.Parallel(32):
            B[bx, i] = math.exp(B[bx, i])


tilelang.compile(main).get_kernel_source()
#> CompileError: error[host-call-runtime]: `exp` cannot take dynamic values
#>   --> python_function_on_element.py, line 13
#>  13 |             B[bx, i] = math.exp(B[bx, i])
#>     |                        ^^^^^^^^^~~~~~~~~^
#>     |                                 only known at run time
#> help: T.exp does this inside a kernel
