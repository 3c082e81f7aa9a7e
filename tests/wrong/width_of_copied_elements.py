# SPDX-License-Identifier: Apache-2.0
"""Three elements of two bytes by one asynchronous copy of a thread, an address of another type, a copy of an element."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, threads=64):
        tile = T.alloc_shared((64, 64), "float16")
        for i in T.Parallel(64):
            T.ptx_cp_async(T.access_ptr(tile[i, 0], "w"), T.access_ptr(A[i, 0], "r"), 3)
            T.ptx_cp_async(T.access_ptr(A[i, 0], "w"), T.access_ptr(tile[i, 0], "r"), 2)
            T.ptx_cp_async(tile[i, 0], A[i, 0], 2)
            T.ptx_cp_async(T.tvm_access_ptr(T.type_annotation("float32"), tile.data, i, 1, 2), T.access_ptr(A[i, 0]), 2)
            T.ptx_cp_async(T.tvm_access_ptr(T.type_annotation("float16"), tile, i, 1, 2), T.access_ptr(A[i, 0]), 2)
            T.tvm_access_ptr("float16", 0, 0, 1, 1)
#> CompileError: error[statement-unsupported]: a kernel cannot contain T.ptx_cp_async of 48 bits
#>   --> width_of_copied_elements.py, line 12
#>  12 |             T.ptx_cp_async(T.access_ptr(tile[i, 0], "w"), T.access_ptr(A[i, 0], "r"), 3)
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: choose num_elems so that it is 4, 8 or 16 bytes
#>
#> error[statement-unsupported]: a kernel cannot contain T.ptx_cp_async that does not copy from a tensor to a shared buffer
#>   --> width_of_copied_elements.py, line 13
#>  13 |             T.ptx_cp_async(T.access_ptr(A[i, 0], "w"), T.access_ptr(tile[i, 0], "r"), 2)
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write T.copy(src, dst)
#>
#> error[buffer-needed]: T.ptx_cp_async needs a buffer, found `tile[i, 0]`, a dynamic float16
#>   --> width_of_copied_elements.py, line 14
#>  14 |             T.ptx_cp_async(tile[i, 0], A[i, 0], 2)
#>     |                            ^^^^^^^^^^
#> help: pass addresses: T.access_ptr(A[i, j], "r")
#>
#> error[statement-unsupported]: a kernel cannot contain an address of float32 in `tile`, a shared buffer of 64x64 float16
#>   --> width_of_copied_elements.py, line 15
#>  15 |             T.ptx_cp_async(T.tvm_access_ptr(T.type_annotation("float32"), tile.data, i, 1, 2)…
#>     |                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: make a view with that dtype first: T.view(tile, dtype=...)
#>
#> error[buffer-needed]: T.tvm_access_ptr needs a buffer, found the integer 0
#>   --> width_of_copied_elements.py, line 17
#>  17 |             T.tvm_access_ptr("float16", 0, 0, 1, 1)
#>     |                                         ^
#> help: pass the pointer of a buffer: `A.data`
