# SPDX-License-Identifier: Apache-2.0
"""Manual roles and barriers: T.ws, T.alloc_barrier, arrivals and waits."""
import numpy as np
import tilelang.language as T

from case import case, floats, integers

BARRIERS = ("mp_31", "sm_90a")
TILES = [dict(M=64, N=96), dict(M=37, N=50), dict(M=1, N=3)]


@case(sizes=TILES, inputs=lambda rng, M, N: [floats(rng, M, N)], reference=lambda x, **_: [x[0] * 2.0 + 1.0],
      targets=BARRIERS)
def explicit_handed_on(M, N):
    """One group copies tiles in, one computes and copies them out; a barrier each way."""
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(M, 16), threads=256) as by:
            s = T.alloc_shared((16, 32), "float32")
            f = T.alloc_fragment((16, 32), "float32")
            full = T.alloc_barrier(128)
            empty = T.alloc_barrier(arrive_count=128)
            for k in range(T.ceildiv(N, 32)):
                with T.ws(1):
                    T.barrier_wait(empty, (k + 1) % 2)
                    T.copy(A[by * 16, k * 32], s)
                    T.barrier_arrive(full)
                with T.ws(0):
                    T.mbarrier_wait_parity(full, k % 2)
                    for i, j in T.Parallel(16, 32):
                        f[i, j] = s[i, j] * 2.0 + 1.0
                    T.mbarrier_arrive(empty)
                    T.copy(f, B[by * 16, k * 32])
    return main


@case(sizes=TILES, inputs=lambda rng, M, N: [floats(rng, M, N)], reference=lambda x, **_: [x[0] * 2.0],
      targets=BARRIERS)
def explicit_barriers_made_inside(M, N):
    """Barriers that are made in a loop and in a branch are set up once, before the kernel begins."""
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(M, 16), threads=128) as by:
            s = T.alloc_shared((16, 32), "float32")
            for k in range(T.ceildiv(N, 32)):
                copied = T.alloc_barrier(128)
                T.copy(A[by * 16, k * 32], s)
                T.mbarrier_arrive(copied)
                T.mbarrier_wait_parity(copied, k % 2)
                for i, j in T.Parallel(16, 32):
                    s[i, j] = s[i, j] * 2.0
                T.copy(s, B[by * 16, k * 32])
            if by == 0:
                first = T.alloc_barrier(128)
                T.mbarrier_arrive(first)
                T.mbarrier_wait_parity(first, 0)
    return main


@case(sizes=[dict(M=64, N=64, K=96), dict(M=37, N=50, K=29), dict(M=1, N=3, K=2)],
      inputs=lambda rng, M, N, K: [floats(rng, M, K, dtype=np.float16), floats(rng, K, N, dtype=np.float16)],
      reference=lambda x, **_: [x[0].astype(np.float64) @ x[1].astype(np.float64)], terms=lambda K, **_: K,
      targets=BARRIERS)
def explicit_gemm_of_stages(M, N, K):
    """A manual ring: an array of barriers for two slots."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 32), threads=256) as (bx, by):
            a = T.alloc_shared((2, 32, 16), "float16")
            b = T.alloc_shared((2, 16, 32), "float16")
            c = T.alloc_fragment((32, 32), "float32")
            bars = T.alloc_barrier([128, 128] * 2)
            with T.ws(0):
                T.clear(c)
            for k in range(T.ceildiv(K, 16)):
                with T.ws(1):
                    T.mbarrier_wait_parity(bars[k % 2 + 2], ((k // 2) % 2) ^ 1)
                    T.copy(A[by * 32, k * 16], a[k % 2, :, :])
                    T.copy(B[k * 16, bx * 32], b[k % 2, :, :])
                    T.fence_proxy_async()
                    T.mbarrier_arrive(bars[k % 2])
                with T.ws(0):
                    T.mbarrier_wait_parity(bars[k % 2], (k // 2) % 2)
                    T.gemm(a[k % 2, :, :], b[k % 2, :, :], c)
                    T.mbarrier_arrive(bars[k % 2 + 2])
            with T.ws(0):
                T.copy(c, C[by * 32, bx * 32])
    return main


@case(sizes=TILES, inputs=lambda rng, M, N: [floats(rng, M, N)],
      reference=lambda x, **_: [x[0].astype(np.float64).sum(1)], terms=lambda N, **_: N, targets=BARRIERS)
def explicit_three_groups(M, N):
    """Statements of all threads before and after the roles, scalars that each role needs, a variable that each
    has for itself."""
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), S: T.Tensor((M,), "float32")):
        with T.Kernel(T.ceildiv(M, 8), threads=384) as by:
            s = T.alloc_shared((2, 8, 32), "float32")
            sums = T.alloc_shared((2, 8), "float32")
            out = T.alloc_fragment((8,), "float32")
            row = by * 8
            iterations = T.ceildiv(N, 64)
            T.clear(sums)  # before the barriers, which are set up first all the same
            ready = T.alloc_barrier([128, 128])
            free = T.alloc_barrier([128, 128])
            tx = T.get_thread_binding()
            phase = T.alloc_var("int32", 0)
            for k in range(iterations):
                if tx < 128:
                    for g in range(2):
                        T.barrier_wait(free[g], phase ^ 1)
                        T.copy(A[row, (2 * k + g) * 32], s[g, :, :])
                        T.barrier_arrive(ready[g])
                elif tx < 256:
                    x = T.alloc_fragment((8, 32), "float32")
                    y = T.alloc_fragment((8,), "float32")
                    T.barrier_wait(ready[0], phase)
                    T.copy(s[0, :, :], x)
                    T.barrier_arrive(free[0])
                    T.reduce_sum(x, y, dim=1)
                    for i in T.Parallel(8):
                        sums[0, i] += y[i]
                else:
                    z = T.alloc_fragment((8, 32), "float32")
                    w = T.alloc_fragment((8,), "float32")
                    T.barrier_wait(ready[1], phase)
                    T.copy(s[1, :, :], z)
                    T.barrier_arrive(free[1])
                    T.reduce_sum(z, w, dim=1)
                    for i in T.Parallel(8):
                        sums[1, i] += w[i]
                phase = phase ^ 1
            for i in T.Parallel(8):
                out[i] = sums[0, i] + sums[1, i]
            T.copy(out, S[row])
    return main


@case(sizes=[dict(M=64, N=64, K=96), dict(M=40, N=48, K=24), dict(M=8, N=8, K=8)],
      inputs=lambda rng, M, N, K: [floats(rng, M, K, dtype=np.float16), floats(rng, K, N, dtype=np.float16)],
      reference=lambda x, **_: [x[0].astype(np.float64) @ x[1].astype(np.float64)], terms=lambda K, **_: K,
      targets=BARRIERS)
def explicit_engine_gemm(M, N, K):
    """The copy engine fills two slots and signals a barrier each; matmuls run on the matrix unit if possible."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 64), threads=256) as (bx, by):
            a = T.alloc_shared((2, 64, 32), "float16")
            b = T.alloc_shared((2, 32, 32), "float16")
            c = T.alloc_fragment((64, 32), "float32")
            bars = T.alloc_barrier([128, 128] * 2)
            with T.ws(0):
                T.clear(c)
            for k in range(T.ceildiv(K, 32)):
                with T.ws(1):
                    T.mbarrier_wait_parity(mbarrier=bars[k % 2 + 2], parity=((k // 2) % 2) ^ 1)
                    T.tma_copy(A[by * 64:(by + 1) * 64, k * 32:(k + 1) * 32], a[k % 2, :, :], barrier=bars[k % 2])
                    T.tma_copy(B[k * 32:(k + 1) * 32, bx * 32:(bx + 1) * 32], b[k % 2, :, :], barrier=bars[k % 2])
                    T.mbarrier_arrive(mbarrier=bars[k % 2])
                with T.ws(0):
                    T.mbarrier_wait_parity(mbarrier=bars[k % 2], parity=(k // 2) % 2)
                    T.wgmma_gemm(a[k % 2, :, :], b[k % 2, :, :], c)
                    T.wait_wgmma(0)
                    T.mbarrier_arrive(mbarrier=bars[k % 2 + 2])
            with T.ws(0):
                T.copy(c, C[by * 64, bx * 32])
    return main


@case(sizes=[dict(M=64, N=64, K=264), dict(M=64, N=48, K=64), dict(M=8, N=8, K=8), dict(M=37, N=50, K=29)],
      inputs=lambda rng, M, N, K: [floats(rng, M, K, dtype=np.float16), floats(rng, K, N, dtype=np.float16)],
      reference=lambda x, **_: [x[0].astype(np.float64) @ x[1].astype(np.float64)], terms=lambda K, **_: K,
      targets=BARRIERS)
def explicit_engine_whole_buffers(M, N, K):
    """Matrix units read what the engine wrote, in two versions; threads copy rows that the engine can't."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=256) as (bx, by):
            a = T.alloc_shared((64, 64), "float16")
            b = T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            data_is_ready = T.alloc_barrier(arrive_count=128)
            compute_is_done = T.alloc_barrier(arrive_count=128)
            with T.ws(1):
                T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 64), num_stages=2):
                with T.ws(0):
                    T.barrier_wait(compute_is_done, (k + 1) % 2)
                    T.tma_copy(A[by * 64, k * 64], a, barrier=data_is_ready)
                    T.tma_copy(B[k * 64, bx * 64], b, barrier=data_is_ready)
                    T.barrier_arrive(data_is_ready)
                with T.ws(1):
                    T.barrier_wait(data_is_ready, k % 2)
                    T.gemm(a, b, c)
                    T.barrier_arrive(compute_is_done)
            with T.ws(1):
                T.copy(c, C[by * 64, bx * 64])
    return main


@case(sizes=TILES, inputs=lambda rng, M, N: [floats(rng, M, N), floats(rng, M, N)],
      reference=lambda x, **_: [x[0] + x[1]], targets=("mp_31", "mp_22", "sm_90a", "sm_80"))
def explicit_async_copies(M, N):
    """Copies as separate groups: the second may be pending while the first is used."""
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 16), threads=128) as (bx, by):
            a = T.alloc_shared((16, 32), "float32")
            b = T.alloc_shared((16, 32), "float32")
            f = T.alloc_fragment((16, 32), "float32")
            T.async_copy(A[by * 16, bx * 32], a)
            T.async_copy(B[by * 16, bx * 32], b)
            T.ptx_wait_group(1)
            T.sync_threads()
            T.copy(a, f)
            T.ptx_wait_group(0)
            T.sync_threads()
            for i, j in T.Parallel(16, 32):
                f[i, j] += b[i, j]
            T.copy(f, C[by * 16, bx * 32])
    return main


@case(sizes=[dict(M=64, K=256, prefetched=2), dict(M=37, K=96, prefetched=1), dict(M=1, K=32, prefetched=3)], terms=lambda K, **_: K,
      inputs=lambda rng, M, K, **_: [floats(rng, M, K, dtype=np.float16), floats(rng, K, 32, dtype=np.float16)],
      reference=lambda x, **_: [x[0].astype(np.float64) @ x[1].astype(np.float64)], targets=("mp_31", "mp_22", "sm_90a", "sm_80", "cpu"))
def explicit_element_copies(M, K, prefetched):
    """A manual pipeline: groups of 16 and of 8 bytes a thread, `prefetched` of them on their way; rows that are not there are
    zeros by the predicate or by the edge."""
    slots = prefetched + 1

    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, 32), "float16"), C: T.Tensor((M, 32), "float32")):
        with T.Kernel(T.ceildiv(M, 16)) as by:
            a = T.alloc_shared((slots, 16, 32), "float16")
            b = T.alloc_shared((slots, 32, 32), "float16")
            c = T.alloc_fragment((16, 32), "float32")
            T.clear(c)
            for k in T.serial(K // 32 + prefetched):
                if k < K // 32:
                    for i, j in T.Parallel(16, 4):
                        T.ptx_cp_async(T.access_ptr(a[k % slots, i, j * 8], "w"), T.access_ptr(A[by * 16 + i, k * 32 + j * 8], "r"), 8,
                                       predicate=by * 16 + i < M)
                    for i, j in T.Parallel(32, 8):
                        T.ptx_cp_async(T.access_ptr(b[k % slots, i, j * 4], "w"), T.access_ptr(B[k * 32 + i, j * 4], "r"), 4)
                T.ptx_commit_group()
                T.ptx_wait_group(prefetched)
                T.sync_threads()
                if k >= prefetched:
                    T.gemm(a[(k - prefetched) % slots, :, :], b[(k - prefetched) % slots, :, :], c)
                T.sync_threads()
            T.copy(c, C[by * 16, 0])
    return main

@case(sizes=[dict(n=64, K=128), dict(n=40, K=64), dict(n=1, K=128)], targets=("mp_31", "sm_90a"),
      terms=lambda K, **_: K, inputs=lambda rng, n, K: [floats(rng, 100, K, dtype=np.float16), rng.integers(0, 100, n).astype(np.int32),
                                floats(rng, 64, K, dtype=np.float16)],
      reference=lambda x, n, K: [x[2].astype(np.float64) @ np.pad(x[0][x[1]].astype(np.float64), ((0, 64 - n), (0, 0))).T])
def explicit_gathered_operands(n, K):
    """Rows that T.ptx_cp_async gathers into the layout that matrix instructions read."""
    @T.prim_func
    def main(A: T.Tensor((100, K), "float16"), I: T.Tensor((n,), "int32"), B: T.Tensor((64, K), "float16"),
             C: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=256) as bx:
            a = T.alloc_shared((2, 64, K), "float16")
            b = T.alloc_shared((64, K), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            ready = T.alloc_barrier(arrive_count=128)
            tx = T.get_thread_binding()
            T.copy(B, b)
            if tx < 128:
                T.barrier_wait(ready, 0)
                T.gemm(b, a[1, :, :], c, transpose_B=True, clear_accum=True)
                T.copy(c, C)
            else:
                for r in T.serial(4):
                    i = r * 16 + (tx - 128) // 8
                    row = T.if_then_else(i < n, I[T.min(i, n - 1)], 0)
                    for u in T.serial(K // 64):
                        T.ptx_cp_async(T.access_ptr(a[1, i, u * 64 + tx % 8 * 8], "w", 8),
                                       T.access_ptr(A[row, u * 64 + tx % 8 * 8], "r", 8), 8, predicate=i < n)
                T.cp_async_barrier_noinc(ready)
    return main


@case(sizes=[dict(N=32), dict(N=64), dict(N=128)], terms=lambda N: 64, targets=("mp_31", "sm_90a"),
      inputs=lambda rng, N: [floats(rng, 64, 64, dtype=np.float16), floats(rng, N, 64, dtype=np.float16)],
      reference=lambda x, N: [x[0].astype(np.float64) @ (2 * x[1].astype(np.float64)).T])
def explicit_operand_of_all_threads(N):
    """All threads fill what the matrix unit of some of them reads: the others fence their stores at the barrier in between."""
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float16"), B: T.Tensor((N, 64), "float16"), C: T.Tensor((64, N), "float32")):
        with T.Kernel(1, threads=256):
            a = T.alloc_shared((64, 64), "float16")
            b = T.alloc_shared((N, 64), "float16")
            c = T.alloc_fragment((64, N), "float32")
            ready = T.alloc_barrier(arrive_count=1)
            tx = T.get_thread_binding()
            for i, j in T.Parallel(N, 64):
                b[i, j] = B[i, j] * 2
            if tx < 128:
                T.barrier_wait(ready, 0)
                T.gemm(a, b, c, transpose_B=True, clear_accum=True)
                T.copy(c, C)
            else:
                T.tma_copy(A, a, barrier=ready)
                if tx == 128:
                    T.barrier_arrive(ready)
    return main


@case(sizes=TILES, inputs=lambda rng, M, N: [floats(rng, M, N), floats(rng, M, N, dtype=np.float16)],
      reference=lambda x, **_: [x[0] + x[1]], targets=("mp_31", "mp_22", "sm_90a", "sm_80"))
def explicit_groups_of_stores(M, N):
    """The second copy converts, the fourth has its threads given: they are loads and stores, and groups all the same."""
    rows = T.Fragment((16, 32), forward_fn=lambda i, j: (i * 8 + j // 4, j % 4))

    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 16), threads=128) as (bx, by):
            a = T.alloc_shared((16, 32), "float32")
            b = T.alloc_shared((16, 32), "float32")
            c = T.alloc_shared((16, 32), "float32")
            d = T.alloc_shared((16, 32), "float16")
            e = T.alloc_shared((16, 32), "float32")
            T.async_copy(A[by * 16, bx * 32], a)
            T.async_copy(B[by * 16, bx * 32], b)
            T.ptx_wait_group(1)
            T.sync_threads()
            for i, j in T.Parallel(16, 32):
                e[i, j] = a[15 - i, j]
            T.async_copy(A[by * 16, bx * 32], c)
            T.async_copy(B[by * 16, bx * 32], d, loop_layout=rows)
            T.ptx_wait_group(1)
            T.sync_threads()
            for i, j in T.Parallel(16, 32):
                if by * 16 + i < M and bx * 32 + j < N:
                    C[by * 16 + i, bx * 32 + j] = e[15 - i, j] - a[i, j] + c[i, j] + d[i, j] * 0.5 + b[i, j] * 0.5
    return main


@case(sizes=[dict(n=1000), dict(n=64), dict(n=3)], inputs=lambda rng, n: [integers(rng, n)], targets=("mp_31", "sm_90a", "sm_80"),
      reference=lambda x, n: [np.pad(x[0], (0, -n % 64)).reshape(-1, 64)[:, ::-1].reshape(-1)[:n] if n % 64 == 0 else
                              np.concatenate([np.pad(r, (0, 64 - len(r)))[::-1][:len(r)] for r in np.split(x[0], range(64, n, 64))])])
def explicit_copies_of_single_elements(n):
    """Threads read the results of others' copies: the barrier is after the wait, not before it."""
    @T.prim_func
    def main(A: T.Tensor((n,), "int32"), B: T.Tensor((n,), "int32")):
        with T.Kernel(T.ceildiv(n, 64), threads=64) as bx:
            tx = T.get_thread_binding()
            s = T.alloc_shared((64,), "int32")
            T.ptx_cp_async(T.access_ptr(s[tx], "w"), T.access_ptr(A[bx * 64 + tx], "r"), 1, predicate=bx * 64 + tx < n)
            T.ptx_commit_group()
            T.sync_threads()
            T.ptx_wait_group(0)
            if bx * 64 + tx < n:
                B[bx * 64 + tx] = s[63 - tx]
    return main


@case(sizes=TILES, inputs=lambda rng, M, N: [floats(rng, M, N)],
      reference=lambda x, **_: [x[0].T.copy()], targets=("mp_31", "sm_90a", "sm_80"))
def explicit_groups_that_synchronize(M, N):
    """Without barriers: the threads of a group synchronize among themselves for the values they exchange."""
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((N, M), "float32")):
        with T.Kernel(T.ceildiv(M, 32), threads=256) as bx:
            s = T.alloc_shared((32, 16), "float32")
            t = T.alloc_shared((32, 16), "float32")
            for k in range(T.ceildiv(N, 32)):
                with T.ws(1):
                    T.copy(A[bx * 32, k * 32], s)
                    for j, i in T.Parallel(16, 32):
                        if k * 32 + j < N and bx * 32 + i < M:
                            B[k * 32 + j, bx * 32 + i] = s[i, j]
                with T.WarpSpecialize(0):
                    T.copy(A[bx * 32, k * 32 + 16], t)
                    for j, i in T.Parallel(16, 32):
                        if k * 32 + 16 + j < N and bx * 32 + i < M:
                            B[k * 32 + 16 + j, bx * 32 + i] = t[i, j]
    return main


@case(sizes=TILES, inputs=lambda rng, M, N: [floats(rng, M, N)], reference=lambda x, **_: [x[0] * 2.0 + 1.0],
      targets=BARRIERS)
def explicit_barriers_of_a_group(M, N):
    """Threads of one group synchronize by barrier number and count, which identifies them; single threads arrive after their
    own copies."""
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(M, 16), threads=256) as by:
            s = T.alloc_shared((16, 32), "float32")
            r = T.alloc_shared((16, 32), "float32")
            f = T.alloc_fragment((16, 32), "float32")
            full = T.alloc_barrier(128)
            empty = T.alloc_barrier(arrive_count=128)
            for k in range(T.ceildiv(N, 32)):
                with T.ws(1):
                    T.barrier_wait(empty, (k + 1) % 2)
                    T.async_copy(A[by * 16, k * 32], s)
                    T.cp_async_barrier_noinc(full)
                with T.ws(0):
                    T.mbarrier_wait_parity(full, k % 2)
                    for i, j in T.Parallel(16, 32):
                        r[i, j] = s[i, j] * 2.0
                    T.sync_threads(3, 128)
                    for i, j in T.Parallel(16, 32):
                        f[i, j] = r[i, j] + 1.0
                    T.sync_threads(barrier_id=3, arrive_count=128)
                    T.mbarrier_arrive(empty)
                    T.copy(f, B[by * 16, k * 32])
    return main


@case(sizes=[dict(M=256, N=96, K=96), dict(M=137, N=50, K=29), dict(M=1, N=3, K=2)],
      inputs=lambda rng, M, N, K: [floats(rng, M, K, dtype=np.float16), floats(rng, N, K, dtype=np.float16)],
      reference=lambda x, **_: [x[0].astype(np.float64) @ x[1].astype(np.float64).T], terms=lambda K, **_: K,
      targets=BARRIERS)
def explicit_registers(M, N, K):
    """Two groups multiply, a third copies and hands its registers over."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 128), threads=384) as (bx, by):
            top, bottom = T.alloc_shared((2, 64, 32), "float16"), T.alloc_shared((2, 64, 32), "float16")
            b = T.alloc_shared((2, 64, 32), "float16")
            c, d = T.alloc_fragment((64, 64), "float32"), T.alloc_fragment((64, 64), "float32")
            full, empty = T.alloc_barrier([128] * 2), T.alloc_barrier([256] * 2)
            tx = T.get_thread_binding()
            if tx < 128:
                T.dec_max_nreg(40)
                for k in range(T.ceildiv(K, 32)):
                    T.barrier_wait(empty[k % 2], (k // 2 + 1) % 2)
                    T.copy(A[by * 128, k * 32], top[k % 2, :, :])
                    T.copy(A[by * 128 + 64, k * 32], bottom[k % 2, :, :])
                    T.copy(B[bx * 64, k * 32], b[k % 2, :, :])
                    T.fence_proxy_async()
                    T.barrier_arrive(full[k % 2])
            elif tx < 256:
                T.set_max_nreg(232, 1)
                T.clear(c)
                for k in range(T.ceildiv(K, 32)):
                    T.barrier_wait(full[k % 2], k // 2 % 2)
                    T.gemm(top[k % 2, :, :], b[k % 2, :, :], c, transpose_B=True)
                    T.barrier_arrive(empty[k % 2])
                T.copy(c, C[by * 128, bx * 64])
            else:
                T.inc_max_nreg(232)
                T.clear(d)
                for k in range(T.ceildiv(K, 32)):
                    T.barrier_wait(full[k % 2], k // 2 % 2)
                    T.gemm(bottom[k % 2, :, :], b[k % 2, :, :], d, transpose_B=True)
                    T.barrier_arrive(empty[k % 2])
                T.copy(d, C[by * 128 + 64, bx * 64])
    return main


def done_together(x, M, N):
    a = x[0].astype(np.float64)
    return [a * 2, a.T + 3, a + 1]


@case(sizes=[dict(M=64, N=32), dict(M=40, N=32), dict(M=8, N=16)], targets=BARRIERS, outputs=(-3, -2, -1),
      inputs=lambda rng, M, N: [floats(rng, M, N, dtype=np.float16)], reference=done_together)
def explicit_work_of_two_groups(M, N):
    """Two groups fill memory together, by a copy, a loop and a fill, and then use it separately; a third waits for one of them."""
    @T.prim_func
    def main(A: T.Tensor((M, N), "float16"), B: T.Tensor((M, N), "float16"), C: T.Tensor((N, M), "float16"), D: T.Tensor((M, N), "float16")):
        with T.Kernel(1, threads=384):
            s = T.alloc_shared((M, N), "float16")
            t = T.alloc_shared((N, M), "float16")
            u = T.alloc_shared((N, M), "float16")
            filled, used = T.alloc_barrier(256), T.alloc_barrier(128)
            phase = T.alloc_local((1,), "int32")
            T.fill(phase, 0)
            tx = T.get_thread_binding()
            if tx < 256:
                T.copy(A, s)
                for j, i in T.Parallel(N, M):
                    t[j, i] = A[i, j]
                T.fill(u, 3)
                T.barrier_arrive(filled)
                T.barrier_wait(filled, phase[0])
            if tx < 128:
                for i, j in T.Parallel(M, N):
                    B[i, j] = s[i, j] * T.float16(2)
                T.barrier_arrive(used)
            elif tx < 256:
                for j, i in T.Parallel(N, M):
                    C[j, i] = t[j, i] + u[j, i]
            else:
                T.barrier_wait(used, phase[0])
                for i, j in T.Parallel(M, N):
                    D[i, j] = s[i, j] + T.float16(1)
    return main
