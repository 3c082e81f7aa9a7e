# SPDX-License-Identifier: Apache-2.0
# Loops, threads and copies that leave a block's memory at an end and surely get there. Right are accesses that a
# condition keeps inside, loops that a break leaves, and loops that may have no iterations.
import tilelang
import tilelang.language as T

F32 = "float32"


@T.prim_func
def fragments(A: T.Tensor((64,), F32), C: T.Tensor((64,), F32)):
    with T.Kernel(1, threads=64):
        s, f = T.alloc_shared((64,), F32), T.alloc_fragment((8,), F32)
        T.copy(A, s)
        for i in T.Parallel(64):
            f[i] = s[i]
        T.copy(f, C[0:8])


@T.prim_func
def threads(A: T.Tensor((128,), F32), C: T.Tensor((128,), F32)):
    with T.Kernel(1, threads=128):
        s, tx = T.alloc_shared((64,), F32), T.get_thread_binding()
        s[tx] = A[tx]
        T.sync_threads()
        C[tx] = s[127 - tx]


@T.prim_func
def neighbours(A: T.Tensor((64,), F32), C: T.Tensor((64,), F32)):
    with T.Kernel(1, threads=64):
        s, r = T.alloc_shared((64,), F32), T.alloc_shared((64,), F32)
        T.copy(A, s)
        for i in T.Parallel(64):
            left, here = i - 1, 2 * i
            r[i] = s[left] + s[i]
            C[i] = r[here // 2]


@T.prim_func
def tiles(A: T.Tensor((128,), F32), C: T.Tensor((64,), F32)):
    with T.Kernel(1, threads=64):
        s, l = T.alloc_shared((4, 16), F32), T.alloc_local((4, 2), F32)
        for k in T.serial(8):
            T.copy(A[k * 16:k * 16 + 16], s[k, 0:16])
        for k, j in T.grid(4, 2):
            l[k, 1 - 2 * j] = s[k, j]
        T.copy(s[0, 0:16], C[0:16])
        C[16] = l[0, 1]


@T.prim_func
def right(A: T.Tensor((64,), F32), n: T.int32, C: T.Tensor((64,), F32)):
    with T.Kernel(T.ceildiv(n, 8), threads=64) as b:
        s, l = T.alloc_shared((8,), F32), T.alloc_local((8,), F32)
        for i in T.Parallel(64):
            if i < 8:
                s[i] = A[b * 8 + i]
        for i in T.Parallel(64):
            C[i] = T.if_then_else(i < 8 and s[i] > 0, s[i], 0.0)
        for i in T.serial(9):
            if i == n:
                break
            l[i] = A[i]
        for i in T.serial(n, 9):
            l[i] = A[i]
        for i in T.serial(9):
            while l[0] > i:
                l[i] = 0
        for i in T.serial(16):
            l[i // 2] = l[i % 8]
        C[b] = l[7]


for kernel in (threads, neighbours, tiles, right, fragments):
    tilelang.compile(kernel, target="sm_90a")
#> TilelabWarning: warning[out-of-bounds]: `s[64]` is out of bounds: index [64] of shape [64]
#>   --> index_goes_outside.py, line 24
#>  23 |         s, tx = T.alloc_shared((64,), F32), T.get_thread_binding()
#>     |                 ~~~~~~~~~~~~~~~~~~~~~~~~~~ declares s, shape [64]
#>  24 |         s[tx] = A[tx]
#>     |         ^^^^^^^^^^^^^ writes it: thread 64
#> help: correct the index or the loop, guard the access with `if`, or make `s` larger
#> TilelabWarning: warning[out-of-bounds]: `s[127]` is out of bounds: index [127] of shape [64]
#>   --> index_goes_outside.py, line 26
#>  23 |         s, tx = T.alloc_shared((64,), F32), T.get_thread_binding()
#>     |                 ~~~~~~~~~~~~~~~~~~~~~~~~~~ declares s, shape [64]
#>  ...
#>  26 |         C[tx] = s[127 - tx]
#>     |         ^^^^^^^^^^^^^^^^^^^ reads it: thread 0
#> help: correct the index or the loop, guard the access with `if`, or make `s` larger
#> TilelabWarning: warning[out-of-bounds]: `s[-1]` is out of bounds: index [-1] of shape [64]
#>   --> index_goes_outside.py, line 36
#>  32 |         s, r = T.alloc_shared((64,), F32), T.alloc_shared((64,), F32)
#>     |                ~~~~~~~~~~~~~~~~~~~~~~~~~~ declares s, shape [64]
#>  ...
#>  36 |             r[i] = s[left] + s[i]
#>     |             ^^^^^^^^^^^^^^^^^^^^^ reads it: iteration i = 0
#> help: correct the index or the loop, guard the access with `if`, or make `s` larger
#> TilelabWarning: warning[out-of-bounds]: `s` is out of bounds: dimension 0: [4, 5) of 4
#>   --> index_goes_outside.py, line 45
#>  43 |         s, l = T.alloc_shared((4, 16), F32), T.alloc_local((4, 2), F32)
#>     |                ~~~~~~~~~~~~~~~~~~~~~~~~~~~~ declares s, shape [4, 16]
#>  ...
#>  45 |             T.copy(A[k * 16:k * 16 + 16], s[k, 0:16])
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ writes it
#> help: correct the index or the loop, guard the access with `if`, or make `s` larger
#> TilelabWarning: warning[out-of-bounds]: `l[0, -1]` is out of bounds: index [0, -1] of shape [4, 2]
#>   --> index_goes_outside.py, line 47
#>  43 |         s, l = T.alloc_shared((4, 16), F32), T.alloc_local((4, 2), F32)
#>     |                                              ~~~~~~~~~~~~~~~~~~~~~~~~~~ declares l, shape [4, 2]
#>  ...
#>  47 |             l[k, 1 - 2 * j] = s[k, j]
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^ writes it
#> help: correct the index or the loop, guard the access with `if`, or make `l` larger
#> CompileError: error[out-of-bounds]: index 63 of `f` is out of bounds: dimension 0 has 8 elements
#>   --> index_goes_outside.py, line 16
#>  13 |         s, f = T.alloc_shared((64,), F32), T.alloc_fragment((8,), F32)
#>     |                                            ~~~~~~~~~~~~~~~~~~~~~~~~~~~ allocated here
#>  ...
#>  16 |             f[i] = s[i]
#>     |             ^^^^^^^^^^^ at i = 63
#> help: valid indices are 0 to 7: correct the index or the loop, guard the access with `if`, or make `f` larger
