# SPDX-License-Identifier: Apache-2.0
# Tile level runs the statements of all threads in lockstep; a conflict of two warps shows at thread level.
import tilelang
import tilelang.language as T


@T.prim_func
def halves(A: T.Tensor((64,), "float32"), B: T.Tensor((32,), "float32")):
    with T.Kernel(1, threads=64):
        tx = T.get_thread_binding()
        B[tx % 32] = A[tx]


check(tilelang.compile(halves), np.arange(64, dtype="float32"), np.zeros(32, "float32"))
#> race: B[0] in block (0, 0), B[0] is 32.0, with --seed 1 0.0  (thread and flat level, 32 times)
#>   only_threads_know.py, line 11    B[tx % 32] = A[tx]
#>                                      thread 0 (warp 0, lane 0) writes
#>   only_threads_know.py, line 11    B[tx % 32] = A[tx]
#>                                      thread 32 (warp 1, lane 0) writes
#>   only_threads_know.py, line 8     def halves(A: T.Tensor((64,), "float32"), B: T.Tensor((32,), "float32")):
#>                                      declares B, shape [32]
#> help: threads run this line concurrently: let each thread write separate elements; use T.atomic_add for a sum
#>
#> halves: 1 finding in 1 block at tile, thread and flat level
