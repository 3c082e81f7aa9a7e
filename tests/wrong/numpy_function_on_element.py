# SPDX-License-Identifier: Apache-2.0
"""np.maximum of an element of a buffer."""
import tilelang
import tilelang.language as T
import numpy as np


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        for i in T.Parallel(32):
            B[bx, i] = np.maximum(B[bx, i], 0.0)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[host-call-runtime]: `maximum` cannot take dynamic values
#>   --> numpy_function_on_element.py, line 12
#>  12 |             B[bx, i] = np.maximum(B[bx, i], 0.0)
#>     |                        ^^^^^^^^^^^~~~~~~~~^^^^^^
#>     |                                   only known at run time
#> help: `T.max(a, b)` does this in a kernel
