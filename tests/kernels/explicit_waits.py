# SPDX-License-Identifier: Apache-2.0
"""Who waits by number for other warps: T.named_barrier_arrive, T.sync_threads."""
import numpy as np
import tilelang.language as T

from case import case, floats

BARRIERS = ("mp_31", "sm_90a")
TILES = [dict(M=64, N=96), dict(M=37, N=50), dict(M=1, N=3)]


NAMED = ("mp_31", "sm_90a", "sm_80")


@case(sizes=TILES, inputs=lambda rng, M, N: [floats(rng, M, N)], reference=lambda x, **_: [x[0] * 2.0 + 1.0],
      targets=NAMED)
def explicit_named_full_and_empty(M, N):
    """Barriers by number: who fills arrives at one and goes on, who empties at the other. Group 1 makes the first turn
    of `empty` free, and the compiler's own numbers (the meetings of a group) lie beside them."""
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(M, 16), threads=256) as by:
            s = T.alloc_shared((16, 32), "float32")
            r = T.alloc_shared((16, 32), "float32")
            f = T.alloc_fragment((16, 32), "float32")
            full, empty = 1, 3
            with T.ws(1):
                T.named_barrier_arrive(empty, 256)
            for k in range(T.ceildiv(N, 32)):
                with T.ws(0):
                    T.sync_threads(empty, 256)
                    T.copy(A[by * 16, k * 32], s)
                    T.named_barrier_arrive(full, 256)
                with T.ws(1):
                    T.sync_threads(full, 256)
                    for i, j in T.Parallel(16, 32):
                        r[i, j] = s[i, j] * 2.0
                    if k + 1 < T.ceildiv(N, 32):
                        T.named_barrier_arrive(empty, 256)
                    T.sync_threads(2, 128)
                    for i, j in T.Parallel(16, 32):
                        f[i, j] = r[15 - i, j] + 1.0
                    T.sync_threads(2, 128)
                    for i, j in T.Parallel(16, 32):
                        r[15 - i, j] = f[i, j]
                    T.copy(r, B[by * 16, k * 32])
    return main


@case(sizes=[dict(M=128, N=64, K=96), dict(M=137, N=50, K=64), dict(M=1, N=3, K=2)],
      inputs=lambda rng, M, N, K: [floats(rng, M, K, dtype=np.float16), floats(rng, N, K, dtype=np.float16)],
      reference=lambda x, **_: [x[0].astype(np.float64) @ x[1].astype(np.float64).T], terms=lambda K, **_: K,
      targets=BARRIERS)
def explicit_named_turns(M, N, K):
    """Two groups multiply by turns (FA3's ping-pong): each waits at a barrier of its own, at which the other arrives."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 128), threads=384) as (bx, by):
            top, bottom = T.alloc_shared((2, 64, 32), "float16"), T.alloc_shared((2, 64, 32), "float16")
            b = T.alloc_shared((2, 64, 32), "float16")
            c, d = T.alloc_fragment((64, 64), "float32"), T.alloc_fragment((64, 64), "float32")
            full, empty = T.alloc_barrier([128] * 2), T.alloc_barrier([256] * 2)
            turns = T.ceildiv(K, 32)
            tx = T.get_thread_binding()
            if tx < 128:
                for k in range(turns):
                    T.barrier_wait(empty[k % 2], (k // 2 + 1) % 2)
                    T.copy(A[by * 128, k * 32], top[k % 2, :, :])
                    T.copy(A[by * 128 + 64, k * 32], bottom[k % 2, :, :])
                    T.copy(B[bx * 64, k * 32], b[k % 2, :, :])
                    T.fence_proxy_async()
                    T.barrier_arrive(full[k % 2])
            elif tx < 256:
                T.clear(c)
                for k in range(turns):
                    T.barrier_wait(full[k % 2], k // 2 % 2)
                    T.sync_threads(1, 256)
                    T.gemm(top[k % 2, :, :], b[k % 2, :, :], c, transpose_B=True)
                    T.named_barrier_arrive(2, 256)
                    T.barrier_arrive(empty[k % 2])
                T.copy(c, C[by * 128, bx * 64])
            else:
                T.named_barrier_arrive(1, 256)
                T.clear(d)
                for k in range(turns):
                    T.barrier_wait(full[k % 2], k // 2 % 2)
                    T.sync_threads(barrier_id=2, arrive_count=256)
                    T.gemm(bottom[k % 2, :, :], b[k % 2, :, :], d, transpose_B=True)
                    if k + 1 < turns:
                        T.named_barrier_arrive(1, 256)
                    T.barrier_arrive(empty[k % 2])
                T.copy(d, C[by * 128 + 64, bx * 64])
    return main


@case(sizes=[dict(N=32 * 6), dict(N=50), dict(N=1)], inputs=lambda rng, N: [floats(rng, N)],
      reference=lambda x, **_: [x[0] * 4.0], targets=NAMED)
def explicit_named_warps(N):
    """Single warps hand values on, and two of four meet by their number."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 32), threads=128) as bx:
            s = T.alloc_shared((32,), "float32")
            t = T.alloc_shared((32,), "float32")
            tx = T.get_thread_binding()
            ready, half = 9, 5
            if tx < 32:
                if bx * 32 + tx < N:
                    s[tx] = A[bx * 32 + tx]
                T.named_barrier_arrive(ready, 96)
            elif tx < 96:
                T.sync_threads(ready, 96)
                if tx < 64 and bx * 32 + tx - 32 < N:
                    t[tx - 32] = s[63 - tx] * 2.0 if bx * 32 + 63 - tx < N else 0.0
                T.sync_threads(half, 64)
                if tx >= 64 and bx * 32 + tx - 64 < N:
                    B[bx * 32 + tx - 64] = t[95 - tx] * 2.0 if bx * 32 + 95 - tx < N else A[bx * 32 + tx - 64] * 4.0
    return main


@case(sizes=[dict(N=128 * 4), dict(N=500), dict(N=1)], inputs=lambda rng, N: [floats(rng, N)],
      reference=lambda x, **_: [x[0] * 2.0], targets=("sm_90a", "sm_80"))
def explicit_named_by_turns(N):
    """Numbers of the run: two slots, a barrier each for being full and for being empty."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=256) as _:
            s = T.alloc_shared((2, 128), "float32")
            for k in range(4):
                with T.ws(0):
                    if k >= 2:
                        T.sync_threads(3 + k % 2, 256)
                    T.copy(A[k * 128], s[k % 2, :])
                    T.named_barrier_arrive(1 + k % 2, 256)
                with T.ws(1):
                    T.sync_threads(1 + k % 2, 256)
                    for i in T.Parallel(128):
                        if k * 128 + i < N:
                            B[k * 128 + i] = s[k % 2, i] * 2.0
                    if k < 2:
                        T.named_barrier_arrive(3 + k % 2, 256)
    return main
