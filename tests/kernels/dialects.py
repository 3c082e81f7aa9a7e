# SPDX-License-Identifier: Apache-2.0
"""Syntax of Moore Threads' TileLang: ranges of memory, numbered barriers, layouts given again, the index that
T.thread_binding names, scores that are stored in the order in which threads hold them."""
import numpy as np
import tilelang.language as T
import tilelang.layout

from case import EVERY, case, floats, integers

BARRIERS = ("mp_31", "sm_90a")
UNITS = ("mp_31", "mp_22", "sm_90a", "sm_80")


def in_range(x, first, count):
    """The elements of a range, counted row by row, and zeros for the others."""
    out = np.zeros_like(x)
    out.reshape(-1)[first:first + count] = x.reshape(-1)[first:first + count]
    return out


RANGES = [dict(n=64, first=16, count=32), dict(n=37, first=5, count=19), dict(n=8, first=0, count=0),
          dict(n=16, first=3, count=99)]


@case(sizes=RANGES, inputs=lambda rng, n, **_: [floats(rng, n)], reference=lambda x, first, count, **_: [
    in_range(x[0], first, count)], targets=("mp_31", "mp_22", "sm_90a", "sm_80"))
def dialect_range_of_elements(n, first, count):
    """One element by each thread, into private memory and into shared memory."""
    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=32) as bx:
            tx = T.thread_binding(0, 32, thread="threadIdx.x")
            own = T.alloc_local((1,), "float32")
            s = T.alloc_shared((32,), "float32")
            T.annotate_layout({own: T.Fragment(own.shape, forward_thread_fn=lambda i: i)})  # reported: has no effect
            some = T.make_robust_desc(T.address_of(A[first]), count * 4)
            for k in range(T.ceildiv(n, 32)):
                if k * 32 + tx < n:
                    T.copy(A[k * 32 + tx], own, src_robust_desc=some)
                    T.copy(A[k * 32 + tx], s[tx], force_async_copy=True, src_robust_desc=some)
                    B[k * 32 + tx] = own[0] * 0.5 + s[tx] * 0.5
    return main


TILES = [dict(M=64, N=48, first=(0, 0), count=64 * 48), dict(M=37, N=50, first=(3, 0), count=20 * 50),
         dict(M=21, N=24, first=(2, 7), count=101), dict(M=1, N=3, first=(0, 1), count=1)]


@case(sizes=TILES, inputs=lambda rng, M, N, **_: [floats(rng, M, N, dtype=np.float16)],
      reference=lambda x, first, count, N, **_: [in_range(x[0], first[0] * N + first[1], count)], targets=EVERY)
def dialect_range_of_tiles(M, N, first, count):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float16"), B: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 16), threads=64) as (bx, by):
            s = T.alloc_shared((16, 32), "float16")
            f = T.alloc_fragment((16, 32), "float16")
            some = T.make_robust_desc(T.address_of(A[first[0], first[1]]), count * 2)
            T.copy(A[by * 16, bx * 32], s, force_async_copy=True, src_robust_desc=some)
            T.copy(A[by * 16:by * 16 + 16, bx * 32:bx * 32 + 32], f, src_robust_desc=some)
            for i, j in T.Parallel(16, 32):
                f[i, j] = T.Select(f[i, j] == s[i, j], f[i, j], T.float16(9))
            T.copy(f, B[by * 16, bx * 32])
    return main


@case(sizes=[dict(M=32, N=48, count=20 * 96), dict(M=21, N=24, count=101 * 2), dict(M=1, N=4, count=8)], targets=EVERY,
      inputs=lambda rng, M, N, count: (lambda a: [a, a.view(np.uint8)])(floats(rng, M, N, dtype=np.float16)),
      reference=lambda x, count, **_: [in_range(x[0], 0, count // 2)])
def dialect_range_of_the_same_memory(M, N, count):
    """One memory as two tensors, values and bytes: a range of the bytes from the first one on is one of the values."""
    @T.prim_func
    def main(A: T.Tensor((M, N), "float16"), Bytes: T.Tensor((M, 2 * N), "uint8"), B: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 16), threads=64) as (bx, by):
            s = T.alloc_shared((16, 32), "float16")
            some = T.make_robust_desc(T.address_of(Bytes[0, 0]), count)
            T.copy(A[by * 16, bx * 32], s, src_robust_desc=some)
            T.copy(s, B[by * 16, bx * 32])
    return main


def gathered(x, rows, **_):
    at = x[1].reshape(-1)
    return [np.where(((at >= 0) & (at < rows))[:, None], x[0][np.clip(at, 0, rows - 1)], 0)]


@case(sizes=[dict(n=64, rows=40), dict(n=37, rows=5), dict(n=1, rows=1)],
      inputs=lambda rng, n, rows: [floats(rng, rows, 64, dtype=np.float16),
                                   rng.integers(-1, rows + 2, (n,)).astype(np.int32)],
      reference=gathered, targets=UNITS)
def dialect_range_of_gathered_rows(n, rows):
    """Rows by number, 8 elements by each thread; the range ends what is read, as rows of -1 do."""
    @T.prim_func
    def main(A: T.Tensor((rows, 64), "float16"), at: T.Tensor((n,), "int32"), B: T.Tensor((n, 64), "float16")):
        with T.Kernel(T.ceildiv(n, 16), threads=128) as bx:
            s = T.alloc_shared((16, 64), "float16")
            row = T.alloc_local((1,), "int32")
            tid = T.get_thread_binding()
            tx = tid % 8
            ty = tid // 8
            all_of_it = T.make_robust_desc(T.address_of(A[0, 0]), rows * 64 * 2)
            row[0] = -1
            if bx * 16 + ty < n:
                row[0] = at[bx * 16 + ty]
            for v in T.vectorized(8):
                T.copy(A[row[0], tx * 8 + v], s[ty, tx * 8 + v], force_async_copy=True, src_robust_desc=all_of_it)
            T.call_extern("void", "__musa_memcpy_g2s_commit_group")
            T.call_extern("void", "__musa_memcpy_g2s_wait_group", 0)
            T.copy(s, B[bx * 16, 0])
    return main


@case(sizes=[dict(n=1024), dict(n=1000), dict(n=3)], inputs=lambda rng, n: [integers(rng, n), integers(rng, n)],
      reference=lambda x, **_: [x[0] - 2 * x[1]], targets=UNITS)
def dialect_waits_for_element_copies(n):
    """The vendor's calls wait for copies of T.ptx_cp_async: group by group, then for all, committed or not."""
    @T.prim_func
    def main(A: T.Tensor((n,), "int32"), B: T.Tensor((n,), "int32"), C: T.Tensor((n,), "int32")):
        with T.Kernel(T.ceildiv(n, 128), threads=128) as bx:
            tx = T.get_thread_binding()
            at = bx * 128 + tx
            a, b = T.alloc_shared((128,), "int32"), T.alloc_shared((128,), "int32")
            T.ptx_cp_async(T.access_ptr(a[tx], "w"), T.access_ptr(A[at], "r"), 1, predicate=at < n)
            T.call_extern("void", "__musa_memcpy_g2s_commit_group")
            T.ptx_cp_async(T.access_ptr(b[tx], "w"), T.access_ptr(B[at], "r"), 1, predicate=at < n)
            T.call_extern("void", "__musa_memcpy_g2s_commit_group")
            T.call_extern("void", "__musa_memcpy_g2s_wait_group", 1)
            difference = T.alloc_var("int32", init=a[tx])
            T.call_extern("void", "__musa_memcpy_g2s_wait_group", 0)
            difference -= b[tx]
            T.sync_threads()
            T.ptx_cp_async(T.access_ptr(a[tx], "w"), T.access_ptr(B[at], "r"), 1, predicate=at < n)
            T.call_extern("void", "__musa_memcpy_g2s_wait")
            if at < n:
                C[at] = difference - a[tx]
    return main


PRODUCTS = [dict(M=64, N=64, K=96), dict(M=37, N=50, K=29), dict(M=1, N=3, K=2)]


def operands(rng, M, N, K):
    return [floats(rng, M, K, dtype=np.float16), floats(rng, K, N, dtype=np.float16)]


def product(x, **_):
    return [x[0].astype(np.float64) @ x[1].astype(np.float64)]


@case(sizes=PRODUCTS, inputs=operands, reference=product, terms=lambda K, **_: K, targets=BARRIERS)
def dialect_numbered_barriers(M, N, K):
    """A manual ring with numbered barriers."""
    stages, consumers = 2, (0,)

    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 32), threads=256, producer_threads=128) as (bx, by):
            a = T.alloc_shared((stages, 32, 16), "float16")
            b = T.alloc_shared((stages, 16, 32), "float16")
            c = T.alloc_fragment((32, 32), "float32")
            T.create_list_of_mbarrier([128, 128] * stages)
            with T.ws(0):
                T.clear(c)
            for k in range(T.ceildiv(K, 16)):
                with T.ws(1):
                    T.mbarrier_wait_parity(mbarrier=k % stages + stages, parity=((k // stages) % stages) ^ 1)
                    T.copy(A[by * 32, k * 16], a[k % stages, :, :])
                    T.copy(B[k * 16, bx * 32], b[k % stages, :, :])
                    T.fence_proxy_async()
                    T.mbarrier_arrive(mbarrier=k % stages)
                with T.ws(0):
                    T.mbarrier_wait_parity(T.get_mbarrier(k % stages), (k // stages) % stages)
                    T.gemm_v2(a[k % stages, :, :], b[k % stages, :, :], c)
                    T.mbarrier_arrive(mbarrier=k % stages + stages)
            with T.ws(*consumers):
                T.copy(c, C[by * 32, bx * 32])
    return main


def laid(b, n, d, rows):
    tile, at = n // rows, n % rows
    return [b, tile * rows + at % 8 * (rows // 8) + at // 8, d]


def permuted(x, n, rows):
    at = np.array([laid(0, i, 0, rows)[1] for i in range(n)])
    return [x[0][:, at]]


@case(sizes=[dict(n=64, rows=32), dict(n=32, rows=16), dict(n=16, rows=16)],
      inputs=lambda rng, n, rows: [floats(rng, 2, n, 64, dtype=np.float16)], reference=permuted, targets=EVERY)
def dialect_rows_in_another_order(n, rows):
    """A tensor whose layout a function with statements says."""
    @T.prim_func
    def main(A: T.Tensor((2, n, 64), "float16"), B: T.Tensor((2, n, 64), "float16")):
        with T.Kernel(T.ceildiv(n, rows), 2, threads=64) as (bx, by):
            s = T.alloc_shared((rows, 64), "float16")
            T.annotate_layout({A: T.Layout(A.shape, lambda b, i, j: laid(b, i, j, rows))})
            T.copy(A[by, bx * rows, 0], s)
            T.copy(s, B[by, bx * rows, 0])
    return main


@case(sizes=[dict(m=40, n=7), dict(m=9, n=9), dict(m=1, n=0)],
      inputs=lambda rng, m, n: [floats(rng, m, 2, 32, dtype=np.float16), np.int32(n)],
      reference=lambda x, m, n: [in_range(x[0], 0, n * 64)], targets=UNITS)
def dialect_range_of_run_time(m, n):
    """For a dynamic number of rows, each a vector or zeros."""
    @T.prim_func
    def main(A: T.Tensor((m, 2, 32), "float16"), rows: T.int32, B: T.Tensor((m, 2, 32), "float16")):
        with T.Kernel(T.ceildiv(m, 8), threads=64) as bx:
            s = T.alloc_shared((8, 2, 32), "float16")
            some = T.make_robust_desc(T.address_of(A[0, 0, 0]), (rows * 2 * 32) * 2)
            T.copy(A[bx * 8, 0, 0], s, force_async_copy=True, src_robust_desc=some)
            T.copy(s, B[bx * 8, 0, 0])
    return main


def two_products(x, **_):
    q, k, v = (each.astype(np.float64) for each in x)
    return [(q @ k.T).astype(np.float16).astype(np.float64) @ v]


@case(sizes=[dict(N=64, K=64), dict(N=64, K=128), dict(N=32, K=64)],
      inputs=lambda rng, N, K: [floats(rng, 64, K, dtype=np.float16) * 0.25, floats(rng, N, K, dtype=np.float16) * 0.25,
                                floats(rng, N, K, dtype=np.float16) * 0.25],
      reference=two_products, terms=lambda N, K: N + K, magnitude=4.0, targets=UNITS)
def dialect_layouts_given_again(N, K):
    """One buffer that two products read in two ways, filled again between them."""
    @T.prim_func
    def main(Q: T.Tensor((64, K), "float16"), A: T.Tensor((N, K), "float16"), V: T.Tensor((N, K), "float16"),
             C: T.Tensor((64, K), "float32")):
        with T.Kernel(1, threads=128) as bx:
            q = T.alloc_shared((64, K), "float16")
            kv = T.alloc_shared((N, K), "float16")
            two = T.alloc_shared((2, N, K), "float16")
            s = T.alloc_shared((64, N), "float16")
            scores = T.alloc_fragment((64, N), "float32")
            out = T.alloc_fragment((64, K), "float32")
            T.clear(scores)
            T.clear(out)
            T.annotate_layout({two[0, :, :]: tilelang.layout.make_no_swizzled_layout(two[0, :, :])},
                              allow_reannotation=True, allow_buffer_region=True)
            T.annotate_layout({two[1, :, :]: tilelang.layout.make_no_swizzled_layout(two[1, :, :])},
                              allow_reannotation=True, allow_buffer_region=True)
            T.copy(Q, q)
            T.annotate_layout({kv: tilelang.layout.make_sqmma_swizzled_layout(kv, k_major=True)}, allow_reannotation=True)
            T.copy(A, two[0, :, :])
            T.copy(V, two[1, :, :])
            T.copy(two[0, :, :], kv)
            T.gemm(q, kv, scores, transpose_B=True, wg_wait=-1)
            T.wait_sqmma()
            T.copy(scores, s)
            T.annotate_layout({kv[:, :]: tilelang.layout.make_sqmma_swizzled_layout(kv[:, :], continuity=64, k_major=False)},
                              allow_reannotation=True, allow_buffer_region=True)
            T.copy(two[1, :, :], kv)
            T.gemm_v1(s, kv, out)
            T.copy(out, C)
    return main
