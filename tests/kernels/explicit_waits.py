# SPDX-License-Identifier: Apache-2.0
"""Manual waits for matmuls, and numbered barriers between warps: T.wgmma_gemm, T.named_barrier_arrive, T.sync_threads."""
import numpy as np
import tilelang.language as T

from case import case, floats, integers

BARRIERS = ("mp_31", "sm_90a")
TILES = [dict(M=64, N=96), dict(M=37, N=50), dict(M=1, N=3)]


def wholes(rng, *shape):
    return rng.integers(-2, 3, shape).astype(np.float16)


@case(sizes=[dict(M=64, N=192), dict(M=100, N=130), dict(M=8, N=64)],
      inputs=lambda rng, M, N: [wholes(rng, M, 64), wholes(rng, N, 64), wholes(rng, N, 64)],
      reference=lambda x, **_: [(x[0].astype(np.float64) @ x[1].astype(np.float64).T) @ x[2].astype(np.float64)],
      targets=BARRIERS)
def explicit_products_in_flight(M, N):
    """With two pending matmuls the program waits for the first, works on its result, and then waits for the other (FA3
    within a group of warps). All sums are whole numbers that float16 has."""
    @T.prim_func
    def main(Q: T.Tensor((M, 64), "float16"), K: T.Tensor((N, 64), "float16"), V: T.Tensor((N, 64), "float16"),
             O: T.Tensor((M, 64), "float32")):
        with T.Kernel(T.ceildiv(M, 64), threads=256) as bx:
            q = T.alloc_shared((64, 64), "float16")
            k, v = T.alloc_shared((2, 64, 64), "float16"), T.alloc_shared((2, 64, 64), "float16")
            s, o = T.alloc_fragment((64, 64), "float32"), T.alloc_fragment((64, 64), "float32")
            p = T.alloc_fragment((64, 64), "float16")
            q_full = T.alloc_barrier(128)
            k_full, k_empty = T.alloc_barrier([128] * 2), T.alloc_barrier([128] * 2)
            v_full, v_empty = T.alloc_barrier([128] * 2), T.alloc_barrier([128] * 2)
            iterations = T.ceildiv(N, 64)
            with T.ws(1):
                T.tma_copy(Q[bx * 64:(bx + 1) * 64, 0:64], q, barrier=q_full)
                T.barrier_arrive(q_full)
                for j in range(iterations):
                    T.barrier_wait(k_empty[j % 2], (j // 2 + 1) % 2)
                    T.tma_copy(K[j * 64:(j + 1) * 64, 0:64], k[j % 2, :, :], barrier=k_full[j % 2])
                    T.barrier_arrive(k_full[j % 2])
                    T.barrier_wait(v_empty[j % 2], (j // 2 + 1) % 2)
                    T.tma_copy(V[j * 64:(j + 1) * 64, 0:64], v[j % 2, :, :], barrier=v_full[j % 2])
                    T.barrier_arrive(v_full[j % 2])
            with T.ws(0):
                T.clear(o)
                T.barrier_wait(q_full, 0)
                T.barrier_wait(k_full[0], 0)
                T.wgmma_gemm(q, k[0, :, :], s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow, clear_accum=True)
                T.wait_wgmma(0)
                T.barrier_arrive(k_empty[0])
                T.copy(s, p)
                for j in range(1, iterations):
                    T.barrier_wait(k_full[j % 2], j // 2 % 2)
                    T.wgmma_gemm(q, k[j % 2, :, :], s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow,
                                 clear_accum=True)
                    T.barrier_wait(v_full[(j - 1) % 2], (j - 1) // 2 % 2)
                    T.wgmma_gemm(p, v[(j - 1) % 2, :, :], o, policy=T.GemmWarpPolicy.FullRow)
                    T.wait_wgmma(1)
                    T.barrier_arrive(k_empty[j % 2])
                    for i, d in T.Parallel(64, 64):
                        s[i, d] = s[i, d] * 1.0
                    T.warpgroup_wait(0)
                    T.barrier_arrive(v_empty[(j - 1) % 2])
                    T.copy(s, p)
                T.barrier_wait(v_full[(iterations - 1) % 2], (iterations - 1) // 2 % 2)
                T.wgmma_gemm(p, v[(iterations - 1) % 2, :, :], o, policy=T.GemmWarpPolicy.FullRow)
                T.wait_wgmma(0)
                T.barrier_arrive(v_empty[(iterations - 1) % 2])
                T.copy(o, O[bx * 64, 0])
    return main


@case(sizes=[dict(M=64, N=64, K=64), dict(M=100, N=130, K=40), dict(M=8, N=8, K=8)],
      inputs=lambda rng, M, N, K: [floats(rng, M, K, dtype=np.float16), floats(rng, K, N, dtype=np.float16)],
      reference=lambda x, **_: [x[0].astype(np.float64) @ x[1].astype(np.float64)] * 2, terms=lambda K, **_: K,
      outputs=(-2, -1), targets=("mp_31", "sm_90a", "sm_80"))
def explicit_products_side_by_side(M, N, K):
    """T.gemm(wg_wait=-1) leaves products in flight, and the next one all but one of them. Without such units they have
    ended at once."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32"),
             D: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            a, b = T.alloc_shared((64, 64), "float16"), T.alloc_shared((64, 64), "float16")
            c, d = T.alloc_fragment((64, 64), "float32"), T.alloc_fragment((64, 64), "float32")
            T.copy(A[by * 64, 0], a)
            T.copy(B[0, bx * 64], b)
            T.gemm(a, b, c, clear_accum=True, wg_wait=-1)
            T.gemm(a, b, d, clear_accum=True, wg_wait=1)
            T.copy(c, C[by * 64, bx * 64])
            T.wait_wgmma(0)
            T.copy(d, D[by * 64, bx * 64])
    return main


@case(sizes=[dict(M=64, N=64, K=96), dict(M=100, N=130, K=200), dict(M=8, N=8, K=8)],
      inputs=lambda rng, M, N, K: [floats(rng, M, K, dtype=np.float16), floats(rng, K, N, dtype=np.float16)],
      reference=lambda x, **_: [x[0].astype(np.float64) @ x[1].astype(np.float64)], terms=lambda K, **_: K,
      targets=("mp_31", "sm_90a", "sm_80"))
def explicit_products_in_a_pipeline(M, N, K):
    """If the compiler orders the copies of a loop, it also decides what its matmuls overlap with."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            a, b = T.alloc_shared((64, 64), "float16"), T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 64), num_stages=2):
                T.copy(A[by * 64, k * 64], a)
                T.copy(B[k * 64, bx * 64], b)
                T.gemm(a, b, c, wg_wait=-1)
                T.wait_wgmma(0)
            T.copy(c, C[by * 64, bx * 64])
    return main


NAMED = ("mp_31", "sm_90a", "sm_80")


@case(sizes=TILES, inputs=lambda rng, M, N: [floats(rng, M, N)], reference=lambda x, **_: [x[0] * 2.0 + 1.0],
      targets=NAMED)
def explicit_named_full_and_empty(M, N):
    """Numbered barriers: the producer arrives at one and continues, the consumer at the other. Group 1 frees `empty`
    for the first iteration, and the compiler's own numbers (group barriers) must not overlap."""
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
def explicit_named_ping_pong(M, N, K):
    """Two groups alternate matmuls (FA3's ping-pong): each waits at its own barrier, at which the other arrives."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 128), threads=384) as (bx, by):
            top, bottom = T.alloc_shared((2, 64, 32), "float16"), T.alloc_shared((2, 64, 32), "float16")
            b = T.alloc_shared((2, 64, 32), "float16")
            c, d = T.alloc_fragment((64, 64), "float32"), T.alloc_fragment((64, 64), "float32")
            full, empty = T.alloc_barrier([128] * 2), T.alloc_barrier([256] * 2)
            iterations = T.ceildiv(K, 32)
            tx = T.get_thread_binding()
            if tx < 128:
                for k in range(iterations):
                    T.barrier_wait(empty[k % 2], (k // 2 + 1) % 2)
                    T.copy(A[by * 128, k * 32], top[k % 2, :, :])
                    T.copy(A[by * 128 + 64, k * 32], bottom[k % 2, :, :])
                    T.copy(B[bx * 64, k * 32], b[k % 2, :, :])
                    T.fence_proxy_async()
                    T.barrier_arrive(full[k % 2])
            elif tx < 256:
                T.clear(c)
                for k in range(iterations):
                    T.barrier_wait(full[k % 2], k // 2 % 2)
                    T.sync_threads(1, 256)
                    T.gemm(top[k % 2, :, :], b[k % 2, :, :], c, transpose_B=True)
                    T.named_barrier_arrive(2, 256)
                    T.barrier_arrive(empty[k % 2])
                T.copy(c, C[by * 128, bx * 64])
            else:
                T.named_barrier_arrive(1, 256)
                T.clear(d)
                for k in range(iterations):
                    T.barrier_wait(full[k % 2], k // 2 % 2)
                    T.sync_threads(barrier_id=2, arrive_count=256)
                    T.gemm(bottom[k % 2, :, :], b[k % 2, :, :], d, transpose_B=True)
                    if k + 1 < iterations:
                        T.named_barrier_arrive(1, 256)
                    T.barrier_arrive(empty[k % 2])
                T.copy(d, C[by * 128 + 64, bx * 64])
    return main


@case(sizes=[dict(N=32 * 6), dict(N=50), dict(N=1)], inputs=lambda rng, N: [floats(rng, N)],
      reference=lambda x, **_: [x[0] * 4.0], targets=NAMED)
def explicit_named_warps(N):
    """Single warps hand values on, and two of four synchronize by barrier number."""
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
def explicit_named_by_slot(N):
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


@case(sizes=[dict(M=128, N=64, K=96), dict(M=137, N=50, K=64), dict(M=8, N=8, K=8)],
      inputs=lambda rng, M, N, K: [floats(rng, M, K, dtype=np.float16), floats(rng, N, K, dtype=np.float16)],
      reference=lambda x, **_: [x[0].astype(np.float64) @ x[1].astype(np.float64).T], terms=lambda K, **_: K,
      targets=BARRIERS)
def explicit_registers_of_a_warp(M, N, K):
    """One warp of a group has the engine copy; all of its group hands registers over, before the roles."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 128), threads=384) as (bx, by):
            a, b = T.alloc_shared((2, 128, 32), "float16"), T.alloc_shared((2, 64, 32), "float16")
            c, d = T.alloc_fragment((64, 64), "float32"), T.alloc_fragment((64, 64), "float32")
            full, empty = T.alloc_barrier([32] * 2), T.alloc_barrier([256] * 2)
            tx = T.get_thread_binding()
            if tx >= 256:
                T.set_max_nreg(24, 0)
            if tx >= 256 and tx < 288:
                for k in range(T.ceildiv(K, 32)):
                    T.barrier_wait(empty[k % 2], (k // 2 + 1) % 2)
                    T.tma_copy(A[by * 128:(by + 1) * 128, k * 32:(k + 1) * 32], a[k % 2, :, :], barrier=full[k % 2])
                    T.tma_copy(B[bx * 64:(bx + 1) * 64, k * 32:(k + 1) * 32], b[k % 2, :, :], barrier=full[k % 2])
                    T.barrier_arrive(full[k % 2])
            with T.ws(0):
                T.set_max_nreg(240, 1)
                T.clear(c)
                for k in range(T.ceildiv(K, 32)):
                    T.barrier_wait(full[k % 2], k // 2 % 2)
                    T.wgmma_gemm(a[k % 2, 0:64, :], b[k % 2, :, :], c, transpose_B=True)
                    T.wait_wgmma(0)
                    T.barrier_arrive(empty[k % 2])
                T.copy(c, C[by * 128, bx * 64])
            with T.ws(1):
                T.set_max_nreg(240, 1)
                T.clear(d)
                for k in range(T.ceildiv(K, 32)):
                    T.barrier_wait(full[k % 2], k // 2 % 2)
                    T.wgmma_gemm(a[k % 2, 64:128, :], b[k % 2, :, :], d, transpose_B=True)
                    T.wait_wgmma(0)
                    T.barrier_arrive(empty[k % 2])
                T.copy(d, C[by * 128 + 64, bx * 64])
    return main


@case(sizes=[dict(N=256), dict(N=384), dict(N=128)], inputs=lambda rng, N: [integers(rng, N)], targets=BARRIERS,
      reference=lambda x, N: [np.concatenate([x[0][i:i + 64][::-1] + x[0][i + 64:i + 128] for i in range(0, N, 128)])])
def explicit_barriers_of_roles(N):
    """T.sync_threads() in a role is a barrier of its threads: the other role does not reach it."""
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N // 2,), "int32")):
        with T.Kernel(1, threads=256):
            tx = T.get_thread_binding()
            s, t = T.alloc_shared((128,), "int32"), T.alloc_shared((128,), "int32")
            full, empty = T.alloc_barrier(128), T.alloc_barrier(128)
            for k in range(N // 128):
                with T.ws(0):
                    T.barrier_wait(empty, (k + 1) % 2)
                    s[tx] = A[k * 128 + tx]
                    T.sync_threads()
                    t[tx] = s[127 - tx]
                    T.barrier_arrive(full)
                with T.ws(1):
                    T.barrier_wait(full, k % 2)
                    if tx < 192:
                        B[k * 64 + tx - 128] = t[tx - 64] + t[191 - tx]
                    T.barrier_arrive(empty)
    return main


@case(sizes=[dict(n=5, m=128), dict(n=1, m=72), dict(n=4, m=8)], terms=lambda **_: 192, targets=("sm_90a",),
      inputs=lambda rng, n, m: [floats(rng, m, 64, dtype=np.float16), floats(rng, 64, 64, dtype=np.float16), n],
      reference=lambda x, n, m: [(n > 3) * (x[0].astype(np.float64) @ (x[1].astype(np.float64) + 2))])
def product_in_flight_of_a_branch(n, m):
    """The barrier at the end of the branch does not complete its product: `b` is stored to after a further barrier."""
    @T.prim_func
    def main(A: T.Tensor((m, 64), "float16"), B: T.Tensor((64, 64), "float16"), n: T.int32, C: T.Tensor((m, 64), "float32")):
        with T.Kernel(1, threads=256):
            a = T.alloc_shared((128, 64), "float16")
            b = T.alloc_shared((64, 64), "float16")
            s = T.alloc_shared((64, 64), "float32")
            c = T.alloc_fragment((128, 64), "float32")
            x = T.alloc_fragment((64, 64), "float32")
            T.copy(A[0, 0], a)
            T.copy(B, b)
            T.clear(s)
            T.clear(c)
            T.sync_threads()
            if n > 3:
                T.gemm(a, b, c, wg_wait=-1)
                for i, j in T.Parallel(64, 64):
                    s[i, j] = 2
            for i, j in T.Parallel(64, 64):
                x[i, j] = s[63 - i, 63 - j]
            T.wait_wgmma(0)
            T.copy(x, b)
            T.gemm(a, b, c)
            T.copy(c, C[0, 0])
    return main
