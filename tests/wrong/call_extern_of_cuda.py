# SPDX-License-Identifier: Apache-2.0
"""CUDA's own functions by name, which the language has."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((32,), "int32"), B: T.Tensor((32,), "uint32"), C: T.Tensor((32,), "float32")):
    with T.Kernel(1, threads=32) as bx:
        t = T.get_thread_binding()
        B[t] = T.call_extern("uint32", "__match_any_sync", 0xFFFFFFFF, A[t])
        C[t] = T.call_extern("float32", "__expf", C[t])


tilelang.compile(main)
#> CompileError: error[builtin-refused]: T.call_extern is not supported
#>   --> call_extern_of_cuda.py, line 11
#>  11 |         B[t] = T.call_extern("uint32", "__match_any_sync", 0xFFFFFFFF, A[t])
#>     |                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> note: Foreign source cannot be simulated or checked; write the operation in the language.
#> help: `T.match_any_sync(value)` does this in a kernel
#>
#> error[builtin-refused]: T.call_extern is not supported
#>   --> call_extern_of_cuda.py, line 12
#>  12 |         C[t] = T.call_extern("float32", "__expf", C[t])
#>     |                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> note: Foreign source cannot be simulated or checked; write the operation in the language.
#> help: `T.__exp(x)` does this in a kernel
