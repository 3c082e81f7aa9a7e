# SPDX-License-Identifier: Apache-2.0
"""A function that no device header of tilelab's has."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 8), "float32"), B: T.Tensor((64, 8), "float32")):
    with T.Kernel(1, threads=64) as bx:
        s = T.alloc_shared((64, 8), "float32")
        T.call_extern("void", "my_device_function", 1)
        T.copy(A, B)


tilelang.compile(main)
#> CompileError: error[builtin-refused]: T.call_extern is not supported
#>   --> call_extern_unknown.py, line 11
#>  11 |         T.call_extern("void", "my_device_function", 1)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> note: Foreign source cannot be simulated or checked; write the operation in the language.
