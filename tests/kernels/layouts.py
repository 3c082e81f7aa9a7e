# SPDX-License-Identifier: Apache-2.0
"""Explicit layouts: of shared memory, of fragments, of loops."""
import numpy as np
import tilelang.language as T
from tilelang.layout import (make_fully_replicated_layout_fragment, make_half_bank_swizzled_layout,
                             make_swizzled_layout)

from case import case, floats, integers

MATRIX = [dict(M=64, N=128), dict(M=40, N=100), dict(M=3, N=2)]


@case(sizes=MATRIX, inputs=lambda rng, M, N: [floats(rng, M, N)], reference=lambda x, **_: [x[0].T])
def transpose_swizzled(M, N):
    """The widest swizzle, panels of 64 bytes, padded rows and column-major order."""
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((N, M), "float32")):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 32), threads=64) as (bx, by):
            a = T.alloc_shared((32, 32), "float32")
            b = T.alloc_shared((32, 32), "float32")
            c = T.alloc_shared((32, 32), "float32")
            d = T.alloc_shared((32, 32), "float32")
            T.annotate_layout({a: make_swizzled_layout(a), b: make_half_bank_swizzled_layout(b),
                               c: T.Layout((32, 32), lambda i, j: i * 33 + j),
                               d: T.Layout((32, 32), lambda i, j: [j, i])})
            T.copy(A[by * 32, bx * 32], a)
            T.copy(a, b)
            T.copy(b, c)
            T.copy(c, d)
            for j, i in T.Parallel(32, 32):
                B[bx * 32 + j, by * 32 + i] = d[i, j]
    return main


@case(sizes=[dict(M=64, K=64), dict(M=40, K=50), dict(M=3, K=5)],
      inputs=lambda rng, M, K: [floats(rng, M, K, dtype=np.float16), floats(rng, K, M, dtype=np.float16)],
      reference=lambda x, **_: [x[0].astype(np.float64) @ x[1].astype(np.float64)], terms=lambda K, **_: K)
def gemm_of_swizzled_tiles(M, K):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, M), "float16"), C: T.Tensor((M, M), "float32")):
        with T.Kernel(T.ceildiv(M, 32), T.ceildiv(M, 32), threads=64) as (bx, by):
            a = T.alloc_shared((2, 32, 32), "float16")
            b = T.alloc_shared((32, 32), "float16")
            c = T.alloc_fragment((32, 32), "float32")
            T.annotate_layout({a: make_swizzled_layout(a), b: make_swizzled_layout(b)})
            T.clear(c)
            for k in T.serial(T.ceildiv(K, 32)):
                T.copy(A[by * 32, k * 32], a[k % 2, :, :])
                T.copy(B[k * 32, bx * 32], b)
                T.gemm(a[k % 2, :, :], b, c)
            T.copy(c, C[by * 32, bx * 32])
    return main


@case(sizes=[dict(M=64, K=64, width=width) for width in (16, 32, 128)] + [dict(M=40, K=56, width=64), dict(M=8, K=8, width=32)],
      inputs=lambda rng, M, K, width: [floats(rng, M, K, dtype=np.float16), floats(rng, K, M, dtype=np.float16)],
      reference=lambda x, **_: [x[0].astype(np.float64) @ x[1].astype(np.float64)], terms=lambda K, **_: K,
      targets=("mp_31", "mp_22", "sm_90a", "sm_80"))
def engines_and_swizzles_by_hand(M, K, width):
    """For tiles that a copy engine would fill: it lacks some swizzles that users may give."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, M), "float16"), C: T.Tensor((M, M), "float32")):
        with T.Kernel(T.ceildiv(M, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, width), "float16")
            b = T.alloc_shared((width, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.annotate_layout({a: make_swizzled_layout(a), b: make_half_bank_swizzled_layout(b)})
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, width), num_stages=2):
                T.copy(A[by * 64, k * width], a)
                T.copy(B[k * width, bx * 64], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 64, bx * 64])
    return main


@case(sizes=[dict(N=64), dict(N=50), dict(N=1)], inputs=lambda rng, N: [floats(rng, N, 64)],
      reference=lambda x, N: [x[0] * 2.0, x[0].astype(np.float64).max(axis=1)], outputs=(1, 2))
def fragment_by_hand(N):
    """Rows over 8 groups of lanes; the result of a reduction follows."""
    spread = T.Fragment((16, 64), forward_thread_fn=lambda i, j: i % 8 * 8 + j // 8)
    columns = T.Fragment((16, 64), forward_fn=lambda i, j: (j, i))

    @T.prim_func
    def main(A: T.Tensor((N, 64), "float32"), B: T.Tensor((N, 64), "float32"), R: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 16), threads=64) as bx:
            f = T.alloc_fragment((16, 64), "float32")
            s = T.alloc_shared((16, 64), "float32")
            r = T.alloc_fragment((16,), "float32")
            T.annotate_layout({f: spread})
            T.copy(A[bx * 16, 0], s, loop_layout=columns)
            T.copy(s, f)
            T.reduce_max(f, r, dim=1)
            for i, j in T.Parallel(16, 64):
                f[i, j] = f[i, j] * 2
            T.copy(f, B[bx * 16, 0])
            T.copy(r, R[bx * 16])
    return main


@case(sizes=[dict(N=64), dict(N=50), dict(N=1)], inputs=lambda rng, N: [floats(rng, N), floats(rng, 4)],
      reference=lambda x, N: [x[0].astype("float64") * float(x[1][0]) + float(x[1][3])], terms=lambda N: 1)
def replicated_by_hand(N):
    held = T.Fragment((16,), forward_thread_fn=lambda i, rep: i + 16 * rep, replicate=2)

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), W: T.Tensor((4,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 16), threads=32) as bx:
            w = T.alloc_fragment((4,), "float32")
            f = T.alloc_fragment((16,), "float32")
            T.annotate_layout({w: make_fully_replicated_layout_fragment(w, 32), f: held})
            T.copy(W, w)
            T.copy(A[bx * 16], f)
            for i in T.Parallel(16):
                f[i] = f[i] * w[0]
            for i in T.Parallel(16, loop_layout=T.Fragment((16,), lambda i: (i, 0))):
                f[i] = f[i] + w[3]
            T.copy(f, B[bx * 16])
    return main


@case(sizes=[dict(N=64), dict(N=50), dict(N=1)], inputs=lambda rng, N: [floats(rng, N)],
      reference=lambda x, N: [np.repeat(x[0][::16], 16)[:N]])
def one_element_by_hand(N):
    """A fragment of one element in one thread, which others read; layouts with dimensions of one."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 16), threads=64) as bx:
            f = T.alloc_fragment((1,), "float32")
            g = T.alloc_fragment((1,), "float32")
            s = T.alloc_shared((1, 16), "float32")
            t = T.alloc_shared((16,), "float32")
            T.annotate_layout({f: T.Fragment((1,), forward_thread_fn=lambda i: i + 5)})
            T.copy(A[bx * 16:bx * 16 + 1], f, loop_layout=T.Fragment((1,), forward_thread_fn=lambda i: i + 7))
            T.copy(f, g)
            for i, j in T.Parallel(1, 16):
                s[i, j] = g[0]
            T.copy(s, t, loop_layout=T.Fragment((1, 16), forward_thread_fn=lambda i, j: i * 16 + j))
            T.copy(t, B[bx * 16])
    return main


def rows_chosen(x, N):
    a, rows = x
    picked = a[rows]
    return [np.where(np.arange(32) < 16, 3, picked), picked.sum(1), picked @ a.T]


@case(sizes=[dict(N=4), dict(N=16), dict(N=1)], reference=rows_chosen, outputs=(2, 3, 4), terms=lambda **_: 32,
      inputs=lambda rng, N: [floats(rng, 16, 32), integers(rng, N, lo=0, hi=16)])
def rows_by_index(N):
    """Boxes whose offset is in a fragment: every thread must hold it."""
    @T.prim_func
    def main(A: T.Tensor((16, 32), "float32"), I: T.Tensor((N,), "int32"), B: T.Tensor((N, 32), "float32"),
             R: T.Tensor((N,), "float32"), C: T.Tensor((N, 16), "float32")):
        with T.Kernel(1, threads=32) as bx:
            rows = T.alloc_fragment((N,), "int32")
            tiles = T.alloc_shared((16, 16, 32), "float32")
            a = T.alloc_shared((16, 32), "float32")
            total = T.alloc_fragment((1, 16), "float32")
            product = T.alloc_fragment((16, 16), "float32")
            T.copy(I, rows)
            T.copy(A, a)
            for i, j, k in T.Parallel(16, 16, 32):
                tiles[i, j, k] = A[i, k]
            for j in T.serial(N):
                T.copy(A[rows[j], 0:32], B[j, 0:32])
                T.reduce_sum(tiles[rows[j], 0:16, 0:32], total, dim=2)
                R[j] = total[0, 3]
                T.gemm(tiles[rows[j], 0:16, 0:32], a, product, transpose_B=True, clear_accum=True)
                T.copy(product[0, 0:16], C[j, 0:16])
                T.fill(a[rows[j] % 1, 0:16], 3)
                T.copy(a[0, 0:16], B[j, 0:16])
                T.copy(A[0, 0:16], a[0, 0:16])
    return main


def scattered(rows, order):
    """Rows of 16 as a tensor of [8, 2, 8] keeps them: by pairs, then by groups of 8 rows."""
    wide = rows.reshape(-1, 8, 8, 2)  # group, row of 8, pair, element of it
    return wide.transpose(order).reshape(rows.shape)


@case(sizes=[dict(N=60), dict(N=41), dict(N=1)], inputs=lambda rng, N: [floats(rng, N, 10)],
      reference=lambda x, N: [x[0] * np.float32(2)])
def fragment_in_odd_shapes(N):
    """Views whose rows have no common divisor: elements are dealt so that none of them cuts what a thread holds."""
    @T.prim_func
    def main(A: T.Tensor((N, 10), "float32"), B: T.Tensor((N, 10), "float32")):
        with T.Kernel(T.ceildiv(N, 30), threads=64) as bx:
            f = T.alloc_fragment((30, 10), "float32")
            p = T.reshape(f, (20, 15))
            q = T.reshape(f, (25, 12))
            T.copy(A[bx * 30, 0], f)
            for i, j in T.Parallel(20, 15):
                p[i, j] = p[i, j] * 8.0
            for i, j in T.Parallel(25, 12):
                q[i, j] = q[i, j] * 0.25
            T.copy(f, B[bx * 30, 0])
    return main


@case(sizes=[dict(M=64), dict(M=40), dict(M=8)], inputs=lambda rng, M: [floats(rng, M, 16)], outputs=(1, 2),
      reference=lambda x, M: [scattered(x[0] * 2, (0, 3, 1, 2)), x[0] * 2])
def tensor_laid_out(M):
    """A tensor's layout applies to element accesses, copies, and any later reader with the same layout."""
    @T.prim_func
    def main(A: T.Tensor((M, 16), "float32"), B: T.Tensor((M, 16), "float32"), C: T.Tensor((M, 16), "float32")):
        with T.Kernel(T.ceildiv(M, 32), threads=64) as bx:
            T.annotate_layout({B: T.Layout(B.shape, lambda i, j: [i // 8, j % 2, i % 8 * 8 + j // 2])})
            s = T.alloc_shared((32, 16), "float32")
            T.copy(A[bx * 32, 0], s)
            for i, j in T.Parallel(32, 16):
                s[i, j] = s[i, j] * 2.0
            T.copy(s, B[bx * 32, 0])
        with T.Kernel(T.ceildiv(M, 32), threads=64) as bx:
            T.annotate_layout({B: lambda i, j: [i // 8, j % 2, i % 8 * 8 + j // 2]})
            for i, j in T.Parallel(32, 16):
                if bx * 32 + i < M:
                    C[bx * 32 + i, j] = B[bx * 32 + i, j]
    return main


@case(sizes=[dict(M=64), dict(M=40), dict(M=8)], inputs=lambda rng, M: [floats(rng, M, 16)],
      reference=lambda x, M: [scattered(x[0].astype(np.float64) * 3, (0, 3, 1, 2))], terms=lambda M: 3)
def atomics_laid_out(M):
    """Three blocks add to one tile that another kernel has cleared, as a tile and by elements."""
    @T.prim_func
    def main(A: T.Tensor((M, 16), "float32"), B: T.Tensor((M, 16), "float32")):
        with T.Kernel(T.ceildiv(M, 8), threads=64) as bx:
            T.annotate_layout({B: T.Layout(B.shape, lambda i, j: [i // 8, j % 2, i % 8 * 8 + j // 2])})
            T.clear(B[bx * 8:bx * 8 + 8, 0:16])
        with T.Kernel(T.ceildiv(M, 8), 3, threads=64) as (bx, by):
            f = T.alloc_fragment((8, 16), "float32")
            T.annotate_layout({B: T.Layout(B.shape, lambda i, j: [i // 8, j % 2, i % 8 * 8 + j // 2])})
            T.copy(A[bx * 8, 0], f)
            if by < 2:
                T.atomic_add(B[bx * 8, 0], f)
            else:
                for i, j in T.Parallel(8, 16):
                    T.atomic_add(B[bx * 8 + i, j], f[i, j])
    return main


@case(sizes=[dict(N=144), dict(N=36), dict(N=5)], inputs=lambda rng, N: [floats(rng, 8, N)], outputs=(1, 2),
      reference=lambda x, N: [x[0].ravel() * np.float32(2), x[0].ravel().reshape(8, N) * np.float32(2)])
def fragments_by_any_index(N):
    """Indices that no map of threads follows: these loops work on a copy in shared memory."""
    @T.prim_func
    def main(A: T.Tensor((8, N), "float32"), B: T.Tensor((8 * N,), "float32"), C: T.Tensor((8, N), "float32")):
        with T.Kernel(1, threads=32):
            a = T.alloc_fragment((8, N), "float32")
            b = T.alloc_fragment((8 * N,), "float32")
            c = T.alloc_fragment((N, 8), "float32")
            T.copy(A, a)
            for i, j in T.Parallel(8, N):
                b[i * N + j] = a[i, j]
            for i in T.Parallel(8 * N):
                b[i] *= 2.0
            for i in T.Parallel(8 * N):
                B[i] = b[i]
            for i, j in T.Parallel(N, 8):
                c[i, j] = B[i * 8 + j]
            for i, j in T.Parallel(8, N):
                C[i, j] = c[(i * N + j) // 8, (i * N + j) % 8]
    return main


@case(sizes=[dict(M=64), dict(M=40), dict(M=8)], inputs=lambda rng, M: [floats(rng, M, 16)], outputs=(1, 2),
      reference=lambda x, M: [np.roll(np.roll(x[0], 1, 0), 3, 1), x[0] * 2])
def tensor_turned_around(M):
    """Elements past the end of a tensor do not exist, though its layout would map them to the front."""
    @T.prim_func
    def main(A: T.Tensor((M, 16), "float32"), B: T.Tensor((M, 16), "float32"), C: T.Tensor((M, 16), "float32")):
        with T.Kernel(T.ceildiv(M, 32), threads=64) as bx:
            T.annotate_layout({B: T.Layout(B.shape, lambda i, j: [(i + 1) % M, (j + 3) % 16])})
            s = T.alloc_shared((32, 16), "float32")
            T.copy(A[bx * 32, 0], s)
            T.copy(s, B[bx * 32, 0])
        with T.Kernel(T.ceildiv(M, 32), threads=64) as bx:
            T.annotate_layout({B: lambda i, j: [(i + 1) % M, (j + 3) % 16]})
            s = T.alloc_shared((32, 16), "float32")
            T.copy(B[bx * 32, 0], s)
            for i, j in T.Parallel(32, 16):
                s[i, j] = s[i, j] * 2.0
            T.copy(s, C[bx * 32, 0])
    return main


NUMBERED = {
    "rows": T.Fragment((6, 40), forward_fn=lambda i, j: ((i * 40 + j) % 64, (i * 40 + j) // 64)),
    "columns": T.Fragment((6, 40), forward_thread_fn=lambda i, j: (j * 6 + i) // 2 % 96),
    "twice": T.Fragment((6, 40), forward_thread_fn=lambda i, j, rep: (i * 40 + j) % 48 + rep * 48, replicate=2),
    "turned": T.Fragment((6, 40), forward_thread_fn=lambda i, j: (j + i * 7) % 40),
    "turned in threads": T.Fragment((6, 40), forward_fn=lambda i, j: (j, (i + j) % 6)),
    "turned twice": T.Fragment((6, 40), forward_thread_fn=lambda i, j, rep: (j + i * 7) % 40 + rep * 40, replicate=2),
}


@case(sizes=[dict(N=18, how="rows"), dict(N=20, how="columns"), dict(N=1, how="twice"), dict(N=7, how="rows"),
             dict(N=13, how="turned"), dict(N=7, how="turned in threads"), dict(N=6, how="turned twice")], outputs=(1, 2, 3, 4),
      inputs=lambda rng, N, how: [integers(rng, N, 40, lo=-9, hi=9).astype(np.float32)],
      reference=lambda x, N, how: numbered_uses(np.pad(x[0], ((0, -N % 6), (0, 0))), N))
def fragments_dealt_by_number(N, how):
    """Elements distributed over threads by linear index, without digits of the indices: loops, copies, tails, reductions,
    scans, views, elements that all threads read."""
    @T.prim_func
    def main(A: T.Tensor((N, 40), "float32"), B: T.Tensor((N, 40), "float32"), S: T.Tensor((N,), "float32"),
             C: T.Tensor((N, 40), "float32"), D: T.Tensor((T.ceildiv(N, 6), 20, 12), "float32")):
        with T.Kernel(T.ceildiv(N, 6), threads=96) as bx:
            f = T.alloc_fragment((6, 40), "float32")
            g = T.alloc_fragment((6, 40), "float32")
            s = T.alloc_shared((6, 40), "float32")
            r = T.alloc_fragment((6,), "float32")
            rows = T.reshape(f, (20, 12))
            T.annotate_layout({f: NUMBERED[how]})
            T.fill(f, 5.0)
            T.copy(A[bx * 6, 0], f)
            for i, j in T.Parallel(6, 40):
                f[i, j] = f[i, j] * 2.0 + i
            T.copy(f, g)
            T.reduce_sum(f, r, dim=1)
            T.copy(f[2:4, 0:40], s[2:4, 0:40])
            for i, j in T.Parallel(6, 40):
                if i < 2 or i > 3:
                    s[i, j] = f[i, j]
            for i, j in T.Parallel(6, 40):
                g[i, j] = g[i, j] + s[5 - i, j]
            for i, j in T.Parallel(20, 12):
                D[bx, i, j] = rows[i, j]
            T.copy(r, S[bx * 6])
            T.copy(g, C[bx * 6, 0])
            T.cumsum(f, dim=1)
            T.copy(f, B[bx * 6, 0])
    return main


def numbered_uses(x, N):
    x = x.astype(np.float64) * 2
    x += np.arange(len(x))[:, None] % 6
    mixed = x + x.reshape(-1, 6, 40)[:, ::-1].reshape(-1, 40)
    return [np.cumsum(x, axis=1)[:N], x.sum(1)[:N], mixed[:N], x.reshape(-1, 20, 12)]


CROSSED = {
    "lanes": T.Fragment((16, 32), forward_fn=lambda i, j: ((i * 8 + j // 4) ^ i % 8, j % 4)),
    "rows": T.Fragment((16, 32), forward_thread_fn=lambda i, j: i ^ j // 2),
    "registers": T.Fragment((16, 32), forward_fn=lambda i, j: (i * 2 + j // 16, (j % 16 ^ i) % 16)),
    "pieces": T.Fragment((16, 32), forward_thread_fn=lambda i, j: i * 8 + (j // 4 + i) % 8),
}


@case(sizes=[dict(N=32, how="lanes"), dict(N=21, how="rows"), dict(N=3, how="registers"), dict(N=17, how="pieces")], outputs=(2, 3),
      inputs=lambda rng, N, how: [integers(rng, N, 32, lo=-9, hi=9).astype(np.float32), integers(rng, N, 32, lo=-9, hi=9).astype(np.float32)],
      reference=lambda x, N, how: [x[0].astype(np.float64) * 2 + x[1], (x[0].astype(np.float64) * 2 + x[1]).max(1)])
def fragments_dealt_by_exclusive_or(N, how):
    """Elements distributed over threads and registers by XOR and rotation, beside a fragment that the compiler distributes."""
    @T.prim_func
    def main(A: T.Tensor((N, 32), "float32"), B: T.Tensor((N, 32), "float32"), C: T.Tensor((N, 32), "float32"),
             M: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 16), threads=128) as bx:
            f = T.alloc_fragment((16, 32), "float32")
            g = T.alloc_fragment((16, 32), "float32")
            s = T.alloc_shared((16, 32), "float32")
            m = T.alloc_fragment((16,), "float32")
            pieces = T.reshape(f, (64, 8))
            T.annotate_layout({f: CROSSED[how]})
            T.copy(A[bx * 16, 0], f)
            T.copy(B[bx * 16, 0], g)
            for i, j in T.Parallel(64, 8):
                pieces[i, j] = pieces[i, j] * 2.0
            for i, j in T.Parallel(16, 32):
                f[i, j] += g[i, j]
            T.copy(f, s)
            T.reduce_max(f, m, dim=1)
            T.copy(s, C[bx * 16, 0])
            T.copy(m, M[bx * 16])
    return main


SCATTERED = {
    "turned": (lambda i, j: [i, (j + i * 8) % 32], lambda i, j: [j, 31 - i]),
    "crossed": (lambda i, j: i * 36 + (j ^ i % 4), lambda i, j: [i, j if i % 2 == 0 else 63 - j]),
    "shuffled": (lambda i, j: (i * 32 + j) * 5 % 2048, lambda i, j: [(i + j) % 64, i]),
}


@case(sizes=[dict(M=64, K=64, how=how) for how in SCATTERED] + [dict(M=40, K=56, how="turned"), dict(M=3, K=8, how="crossed")],
      inputs=lambda rng, M, K, how: [floats(rng, M, K, dtype=np.float16), floats(rng, K, M, dtype=np.float16)],
      reference=lambda x, **_: [x[0].astype(np.float64) @ x[1].astype(np.float64)], terms=lambda K, **_: K,
      targets=("mp_31", "mp_22", "sm_90a", "sm_80"))
def engines_and_layouts_without_digits(M, K, how):
    """For tiles that a copy engine would fill and a matrix unit read: neither supports such layouts."""
    first, second = SCATTERED[how]

    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, M), "float16"), C: T.Tensor((M, M), "float32")):
        with T.Kernel(T.ceildiv(M, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.annotate_layout({a: T.Layout((64, 32), first), b: second})
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                T.copy(A[by * 64, k * 32], a)
                T.copy(B[k * 32, bx * 64], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 64, bx * 64])
    return main


@case(sizes=[dict(N=64), dict(N=50), dict(N=1)], outputs=(1, 2, 3, 4),
      inputs=lambda rng, N: [integers(rng, N, 24, lo=-9, hi=9).astype(np.float32)],
      reference=lambda x, N: scattered_uses(np.pad(x[0], ((0, -N % 8), (0, 0))), N))
def uses_of_a_layout_without_digits(N):
    """Rows that are turned by their number: elements, views, reductions, scans, atomics, slots of one buffer."""
    @T.prim_func
    def main(A: T.Tensor((N, 24), "float32"), B: T.Tensor((N, 24), "float32"), S: T.Tensor((N,), "float32"),
             P: T.Tensor((N, 24), "float32"), H: T.Tensor((T.ceildiv(N, 8), 24), "float32")):
        with T.Kernel(T.ceildiv(N, 8), threads=64) as bx:
            s = T.alloc_shared((2, 8, 24), "float32")
            p = T.alloc_shared((8, 24), "float32")
            h = T.alloc_shared((24,), "float32")
            flat = T.reshape(p, (16, 12))
            r = T.alloc_fragment((8,), "float32")
            T.annotate_layout({s: T.Layout((8, 24), lambda i, j: [i, (j + i * 5) % 24]),
                               p: T.Layout((8, 24), lambda i, j: 23 - j + i * 25 if i > 3 else j + i * 25),
                               h: T.Layout((24,), lambda i: i * 7 % 24)})
            T.copy(A[bx * 8, 0], s[bx % 2, :, :])
            T.copy(s[bx % 2, :, :], p)
            T.reduce_sum(p, r, dim=1)
            T.cumsum(p, dim=1)
            for i, j in T.Parallel(16, 12):
                flat[i, j] = flat[i, j] * 2.0
            T.clear(h)
            for i, j in T.Parallel(8, 24):
                T.atomic_add(h[j], s[bx % 2, i, j])
            T.copy(r, S[bx * 8])
            T.copy(p, P[bx * 8, 0])
            for j in T.Parallel(24):
                H[bx, j] = h[23 - j]
            for i, j in T.Parallel(8, 24):
                if bx * 8 + i < N:
                    B[bx * 8 + i, j] = s[bx % 2, 7 - i, j]
    return main


def scattered_uses(x, N):
    swapped = x.reshape(-1, 8, 24)[:, ::-1].reshape(-1, 24)
    return [swapped[:N], x[:N].sum(1), 2 * np.cumsum(x[:N], axis=1), x.reshape(-1, 8, 24).sum(1)[:, ::-1]]


@case(sizes=[dict(R=4, C=64, threads=32), dict(R=32, C=4, threads=64), dict(R=3, C=5, threads=32)],
      inputs=lambda rng, R, C, threads: [floats(rng, R), floats(rng, C)],
      reference=lambda x, **_: [x[0][:, None] + x[1]])
def filled_element_by_element(R, C, threads):
    """A pass moves the fragment for each element, with those that nothing has written yet."""
    @T.prim_func
    def main(A: T.Tensor((R,), "float32"), B: T.Tensor((C,), "float32"), O: T.Tensor((R, C), "float32")):
        with T.Kernel(1, threads=threads):
            a = T.alloc_fragment((R,), "float32")
            b = T.alloc_fragment((C,), "float32")
            c = T.alloc_fragment((R, C), "float32")
            T.copy(A, a)
            T.copy(B, b)
            for i in range(R):
                for j in range(C):
                    c[i, j] = a[i] + b[j]
            T.copy(c, O)
    return main


@case(sizes=[dict(N=64, threads=32), dict(N=128, threads=64), dict(N=8, threads=32)], inputs=lambda rng, N, **_: [floats(rng, 4 * N)],
      reference=lambda x, **_: [x[0].view(np.int32), -x[0]], outputs=(1, 2))
def bits_of_a_fragment(N, threads):
    """A view of another type of what threads hold: copied, changed."""
    @T.prim_func
    def main(A: T.Tensor((4 * N,), "float32"), B: T.Tensor((4 * N,), "int32"), C: T.Tensor((4 * N,), "float32")):
        with T.Kernel(1, threads=threads):
            f = T.alloc_fragment((4, N), "float32")
            whole = T.view(f, (4 * N,), dtype="int32")
            T.copy(T.view(A, (4, N)), f)
            T.copy(whole, B)
            for i in T.Parallel(4 * N):
                whole[i] = whole[i] ^ T.cast(-2147483648, "int32")
            T.copy(f, T.view(C, (4, N)))
    return main
