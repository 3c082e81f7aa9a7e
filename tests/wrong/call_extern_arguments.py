# SPDX-License-Identifier: Apache-2.0
"""Functions of CUDA source: without a name, and with the address of a fragment."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), n: T.int32):
    with T.Kernel(1, threads=64) as bx:
        f = T.alloc_fragment((64,), "float32")
        T.copy(A, f)
        T.call_extern("handle", "halve", T.access_ptr(f, "rw"), 64)
        T.call_extern("float32")
        f[0] = T.call_extern(func_name="halve")
        T.import_source(n)
        T.copy(f, A)


tilelang.compile(main)
#> CompileError: error[statement-unsupported]: a kernel cannot contain the address of `f` as an argument of `halve`
#>   --> call_extern_arguments.py, line 12
#>  10 |         f = T.alloc_fragment((64,), "float32")
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ `f`, a fragment buffer of 64 elements float32
#>  ...
#>  12 |         T.call_extern("handle", "halve", T.access_ptr(f, "rw"), 64)
#>     |                                          ^^^^^^^^^^^^^^^^^^^^^
#> help: its elements are in the registers of several threads; pass memory of T.alloc_local, T.alloc_shared or a tensor
#>
#> error[call-missing]: `T.call_extern` is missing the argument `func_name`
#>   --> call_extern_arguments.py, line 13
#>  13 |         T.call_extern("float32")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^
#> help: `T.call_extern("float32", "name", x)`
#>
#> error[call-missing]: `T.call_extern` is missing the argument `dtype`
#>   --> call_extern_arguments.py, line 14
#>  14 |         f[0] = T.call_extern(func_name="halve")
#>     |                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: `T.call_extern("float32", "name", x)`
#>
#> error[static-needed]: the source code of T.import_source must be known at compile time; found `n`, a dynamic int32
#>   --> call_extern_arguments.py, line 15
#>  15 |         T.import_source(n)
#>     |                         ^
#> help: pass a string that Python knows when the kernel is compiled
