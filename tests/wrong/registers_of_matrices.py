# SPDX-License-Identifier: Apache-2.0
"""T.ptx_ldmatrix and T.ptx_mma with other memory, shapes, orders and types than the instructions have."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, threads=32):
        lane = T.get_thread_binding()
        s, bytes_of = T.alloc_shared((64, 64), "float16"), T.alloc_shared((64, 64), "int8")
        f = T.alloc_fragment((8,), "float16")
        a, b, c = T.alloc_local((8,), "float16"), T.alloc_local((4,), "float16"), T.alloc_local((4,), "float16")
        sums, bytes_a = T.alloc_local((4,), "float32"), T.alloc_local((16,), "int8")
        row = T.access_ptr(s[lane % 16, lane // 16 * 8], "r")
        T.ptx_ldmatrix(T.bool(False), 4, T.access_ptr(A[lane, 0], "r"), T.access_ptr(a[0], "w"))
        T.ptx_ldmatrix(T.bool(False), 4, row, T.access_ptr(f[0], "w"))
        T.ptx_ldmatrix(T.bool(False), 3, row, T.access_ptr(a[0], "w"))
        T.ptx_ldmatrix(T.bool(True), 4, T.access_ptr(bytes_of[lane, 0], "r"), T.access_ptr(bytes_a[0], "w"))
        T.ptx_ldmatrix(T.bool(False), 4, row, T.access_ptr(bytes_a[0], "w"))
        T.ptx_mma("float32", "m8n8k4", "row", "col", "fp16", "fp16", "fp32", a.data, 0, b.data, 0, sums.data, 0)
        T.ptx_mma("float32", "m16n8k16", "row", "row", "fp16", "fp16", "fp32", a.data, 0, b.data, 0, sums.data, 0)
        T.ptx_mma("float16", "m16n8k16", "row", "col", "fp16", "fp16", "fp16", a.data, 0, b.data, 0, c.data, 0)
        T.ptx_mma("float32", "m16n8k16", "row", "col", "fp16", "fp16", "fp32", s.data, 0, b.data, 0, sums.data, 0)
        T.ptx_mma("float32", "m16n8k16", "row", "col", "fp16", "fp16", "fp32", a[0], 0, b.data, 0, sums.data, 0)
        for i in T.Parallel(32):
            T.ptx_mma("float32", "m16n8k16", "row", "col", "fp16", "fp16", "fp32", a.data, 0, b.data, 0, sums.data, 0)
#> CompileError: error[buffer-needed]: T.ptx_ldmatrix needs a buffer, found `A`, a global tensor of 64x64 float16
#>   --> registers_of_matrices.py, line 16
#>  16 |         T.ptx_ldmatrix(T.bool(False), 4, T.access_ptr(A[lane, 0], "r"), T.access_ptr(a[0], "w…
#>     |                                          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: pass the address of a row in shared memory: T.access_ptr(A_shared[i, j], "r")
#>
#> error[buffer-needed]: T.ptx_ldmatrix needs a buffer, found `f`, a fragment buffer of 8 elements float16
#>   --> registers_of_matrices.py, line 17
#>  17 |         T.ptx_ldmatrix(T.bool(False), 4, row, T.access_ptr(f[0], "w"))
#>     |                                               ^^^^^^^^^^^^^^^^^^^^^^^
#> help: pass adjacent elements of a buffer of T.alloc_local, in which each thread has its own registers
#>
#> error[statement-unsupported]: a kernel cannot contain T.ptx_ldmatrix of 3 matrices
#>   --> registers_of_matrices.py, line 18
#>  18 |         T.ptx_ldmatrix(T.bool(False), 3, row, T.access_ptr(a[0], "w"))
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: load 1, 2 or 4 matrices of eight rows, each of 16 contiguous bytes
#>
#> error[statement-unsupported]: a kernel cannot contain T.ptx_ldmatrix of a transposed matrix of elements that are not 2 bytes
#>   --> registers_of_matrices.py, line 19
#>  19 |         T.ptx_ldmatrix(T.bool(True), 4, T.access_ptr(bytes_of[lane, 0], "r"), T.access_ptr(by…
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: load 1, 2 or 4 matrices of eight rows, each of 16 contiguous bytes
#>
#> error[statement-unsupported]: a kernel cannot contain T.ptx_ldmatrix between elements of two dtypes
#>   --> registers_of_matrices.py, line 20
#>  20 |         T.ptx_ldmatrix(T.bool(False), 4, row, T.access_ptr(bytes_a[0], "w"))
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: declare the registers with the dtype of the shared buffer
#>
#> error[statement-unsupported]: a kernel cannot contain T.ptx_mma of float16 and float16 by this shape
#>   --> registers_of_matrices.py, line 21
#>  21 |         T.ptx_mma("float32", "m8n8k4", "row", "col", "fp16", "fp16", "fp32", a.data, 0, b.dat…
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: use the shape "m16n8k16" with "row" and "col"
#>
#> error[statement-unsupported]: a kernel cannot contain T.ptx_mma of float16 and float16 in this order
#>   --> registers_of_matrices.py, line 22
#>  22 |         T.ptx_mma("float32", "m16n8k16", "row", "row", "fp16", "fp16", "fp32", a.data, 0, b.d…
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: use the shape "m16n8k16" with "row" and "col"
#>
#> error[statement-unsupported]: a kernel cannot contain T.ptx_mma that accumulates in float16
#>   --> registers_of_matrices.py, line 23
#>  23 |         T.ptx_mma("float16", "m16n8k16", "row", "col", "fp16", "fp16", "fp16", a.data, 0, b.d…
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: declare the accumulator with dtype "float32"
#>
#> error[buffer-needed]: T.ptx_mma needs a buffer, found `s`, a shared buffer of 64x64 float16
#>   --> registers_of_matrices.py, line 24
#>  24 | …"col", "fp16", "fp16", "fp32", s.data, 0, b.data, 0, sums.data, 0)
#>     |                                 ^^^^^^
#> help: pass adjacent elements of a buffer of T.alloc_local, in which each thread has its own registers
#>
#> error[buffer-needed]: T.ptx_mma needs a buffer, found `a[0]`, a dynamic float16
#>   --> registers_of_matrices.py, line 25
#>  25 | …"col", "fp16", "fp16", "fp32", a[0], 0, b.data, 0, sums.data, 0)
#>     |                                 ^^^^
#> help: pass the pointer of a local buffer: `A_local.data`
#>
#> error[parallel-tile-op]: T.ptx_mma inside a T.Parallel
#>   --> registers_of_matrices.py, line 27
#>  27 |             T.ptx_mma("float32", "m16n8k16", "row", "col", "fp16", "fp16", "fp32", a.data, 0,…
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: move it out of the loop: it applies to threads, not to iterations
