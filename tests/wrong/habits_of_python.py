# SPDX-License-Identifier: Apache-2.0
"""Expressions that Python and NumPy have and kernels write differently."""
import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as bx:
        s = T.alloc_fragment((64,), "float32")
        T.copy(A, s)
        most = T.max(s, axis=0)
        s = 0
        for i in T.Parallel(64):
            B[i] = s[i]
            B[i] = int(A[i]) + float(A[i]) + np.float32(A[i])
            B[i] = T.cast("float16", A[i])


tilelang.compile(main).get_kernel_source()
#> CompileError: error[call-keyword]: `T.max` has no parameter `axis`
#>   --> habits_of_python.py, line 13
#>  13 |         most = T.max(s, axis=0)
#>     |                         ^^^^^^
#> help: T.max(*values)
#> help: `T.reduce_max(src, out, dim=-1, clear=True, batch=1, nan_propagate=False)` does this in a kernel
#>
#> error[subscript-type]: the integer 0 cannot be indexed
#>   --> habits_of_python.py, line 16
#>  14 |         s = 0
#>     |         ~ bound here
#>  ...
#>  16 |             B[i] = s[i]
#>     |                    ^^^^
#> help: use brackets on buffers, tensors, lists, tuples and dicts
#>
#> error[host-call-runtime]: `int` cannot take dynamic values
#>   --> habits_of_python.py, line 17
#>  17 |             B[i] = int(A[i]) + float(A[i]) + np.float32(A[i])
#>     |                    ^^^^~~~~^
#>     |                        only known at run time
#> help: `T.cast(x, "int32")` does this in a kernel
#>
#> error[host-call-runtime]: `float` cannot take dynamic values
#>   --> habits_of_python.py, line 17
#>  17 |             B[i] = int(A[i]) + float(A[i]) + np.float32(A[i])
#>     |                                ^^^^^^~~~~^
#>     |                                      only known at run time
#> help: `T.cast(x, "float32")` does this in a kernel
#>
#> error[host-call-runtime]: `float32` cannot take dynamic values
#>   --> habits_of_python.py, line 17
#>  17 |             B[i] = int(A[i]) + float(A[i]) + np.float32(A[i])
#>     |                                              ^^^^^^^^^^^~~~~^
#>     |                                                         only known at run time
#> help: `T.cast(x, "float32")` does this in a kernel
#>
#> error[dtype-needed]: expected a dtype, found `A[i]`, a dynamic float32
#>   --> habits_of_python.py, line 18
#>  18 |             B[i] = T.cast("float16", A[i])
#>     |                                      ^^^^
#> help: write the value before the dtype: T.cast(x, "float16")
