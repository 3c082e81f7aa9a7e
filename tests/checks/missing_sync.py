# SPDX-License-Identifier: Apache-2.0
# A missing T.sync_threads() between lines of threads: the compiler inserts it, and a note says so.
# With it, and between tile operations, there is nothing to say.
import tilelang
import tilelang.language as T


def reverse(written):
    @T.prim_func
    def reverse(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            S = T.alloc_shared((64,), "float32")
            S[tx] = A[tx]
            if written:
                T.sync_threads()
            B[tx] = S[63 - tx]

    return reverse


@T.prim_func
def steps(A: T.Tensor((4, 64), "float32"), B: T.Tensor((4, 64), "float32")):
    with T.Kernel(1, threads=64):
        tx = T.get_thread_binding()
        S = T.alloc_shared((64,), "float32")
        for k in T.serial(4):
            S[tx] = A[k, tx]
            T.sync_threads()
            B[k, tx] = S[63 - tx]


@T.prim_func
def tiles(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        tx = T.get_thread_binding()
        S = T.alloc_shared((64,), "float32")
        T.copy(A, S)
        B[tx] = S[63 - tx]


@T.prim_func
def in_place(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        tx = T.get_thread_binding()
        S = T.alloc_shared((64,), "float32")
        S[tx] = A[tx]
        A[tx] = S[63 - tx]  # of S: in A, each thread accesses one element


a, many = np.arange(64, dtype="float32"), np.arange(256, dtype="float32").reshape(4, 64)
check(tilelang.compile(reverse(False)), a, a.copy())
check(tilelang.compile(reverse(True)), a, a.copy())
check(tilelang.compile(steps), many, many.copy())
check(tilelang.compile(tiles), a, a.copy())
check(tilelang.compile(in_place), a)
#> note[barrier-inserted]: other threads write `S` before it is read here,
#>   without a T.sync_threads() between
#>   missing_sync.py, line 14    S[tx] = A[tx]         writes S
#>   missing_sync.py, line 17    B[tx] = S[63 - tx]    reads S
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> reverse:
#>   clean: 256 accesses by 1 block of 64 threads at tile, thread and flat level
#>   no race, no access out of bounds, no uninitialized read
#> reverse:
#>   clean: 256 accesses by 1 block of 64 threads at tile, thread and flat level
#>   no race, no access out of bounds, no uninitialized read
#> note[barrier-inserted]: other threads read `S` before it is written here,
#>   without a T.sync_threads() between
#>   missing_sync.py, line 30    B[k, tx] = S[63 - tx]    reads S
#>   missing_sync.py, line 28    S[tx] = A[k, tx]         writes S in the next iteration
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> steps:
#>   clean: 1024 accesses by 1 block of 64 threads at tile, thread and flat level
#>   no race, no access out of bounds, no uninitialized read
#> tiles:
#>   clean: 256 accesses by 1 block of 64 threads at tile, thread and flat level
#>   no race, no access out of bounds, no uninitialized read
#> note[barrier-inserted]: other threads write `S` before it is read here,
#>   without a T.sync_threads() between
#>   missing_sync.py, line 47    S[tx] = A[tx]
#>                                 writes S
#>   missing_sync.py, line 48    A[tx] = S[63 - tx]  # of S: in A, each thread accesses one element
#>                                 reads S
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> in_place:
#>   clean: 256 accesses by 1 block of 64 threads at tile, thread and flat level
#>   no race, no access out of bounds, no uninitialized read
