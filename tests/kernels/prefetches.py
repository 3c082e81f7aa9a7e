# SPDX-License-Identifier: Apache-2.0
"""Prefetched data in pipelined loops besides whole tiles of tensors: views of tensors, stages seen through views, rows
that are gathered."""
import numpy as np
import tilelang.language as T

from case import case, floats, integers

TARGETS = ("mp_31", "mp_22", "sm_90a", "sm_80")


def product(x, ta=False, **_):
    a, b = x[0].astype(np.float64), x[1].astype(np.float64)
    a, b = a.reshape(-1, a.shape[-1]), b.reshape(-1, b.shape[-1])
    return [(a.T if ta else a) @ b]


SHAPES = [dict(M=128, N=64, K=160), dict(M=72, N=88, K=104), dict(M=16, N=24, K=8)]


@case(sizes=[dict(seen=seen, **size) for seen in ("cut", "joined", "twice", "in the loop", "as bits") for size in SHAPES],
      inputs=lambda rng, M, N, K, seen: [floats(rng, M // 8, 8, K, dtype=np.float16), floats(rng, K // 8, 8, N, dtype=np.float16)],
      reference=product, terms=lambda K, **_: K, targets=TARGETS)
def prefetched_views_of_tensors(M, N, K, seen):
    """Views of other shapes, of views, of another type, and one that each iteration makes."""
    @T.prim_func
    def main(A: T.Tensor((M // 8, 8, K), "float16"), B: T.Tensor((K // 8, 8, N), "float16"), C: T.Tensor((M, N), "float32")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 32), "float16")
            c = T.alloc_fragment((64, 32), "float32")
            T.clear(c)
            left = T.view(A, (M, K))
            if seen == "cut":
                right = T.view(B, (1, K, N))
            elif seen == "twice":
                right = T.view(T.view(B, (1, K * N)), (K, N))
            elif seen == "as bits":
                words, halves = T.view(B, (K, N // 2), "int32"), T.alloc_shared((32, 16), "int32")
            else:
                right = T.reshape(B, (K, N))
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=3):
                T.copy(left[by * 64, k * 32], a)
                if seen == "cut":
                    T.copy(right[0, k * 32:k * 32 + 32, bx * 32:bx * 32 + 32], b)
                elif seen == "in the loop":
                    T.copy(T.view(B, (K, N))[k * 32, bx * 32], b)
                elif seen == "as bits":
                    T.copy(words[k * 32, bx * 16], halves)
                else:
                    T.copy(right[k * 32, bx * 32], b)
                if seen == "as bits":
                    T.gemm(a, T.view(halves, (32, 32), "float16"), c)
                else:
                    T.gemm(a, b, c)
            T.copy(c, T.view(C, (1, M, N))[0, by * 64:by * 64 + 64, bx * 32:bx * 32 + 32])
    return main


@case(sizes=[dict(held=held, ta=ta, **size) for held, ta in (("flat", False), ("wide", False), ("bytes", True), ("rows", True))
             for size in SHAPES],
      inputs=lambda rng, M, N, K, ta, held: [floats(rng, *((K, M) if ta else (M, K)), dtype=np.float16),
                                             floats(rng, K, N, dtype=np.float16)],
      reference=product, terms=lambda K, **_: K, targets=TARGETS)
def prefetched_stages_seen_otherwise(M, N, K, held, ta):
    """The stage that is filled is the buffer or a view of it, what the product reads another."""
    @T.prim_func
    def main(A: T.Tensor((K, M) if ta else (M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            form = {"flat": (64 * 32,), "wide": (16, 128), "bytes": (64 * 64,), "rows": (8, 8, 32)}[held]
            a_memory = T.alloc_shared(form, "uint8" if held == "bytes" else "float16")
            b_memory = T.alloc_shared((32, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            a = T.view(a_memory, (32, 64) if ta else (64, 32), "float16")
            b = T.reshape(T.reshape(b_memory, (2048,)), (32, 64))
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                if ta:
                    T.copy(A[k * 32, by * 64], a)
                else:
                    T.copy(A[by * 64, k * 32], a)
                T.copy(B[k * 32, bx * 64], b_memory)
                T.gemm(a, b, c, transpose_A=ta)
            T.copy(c, C[by * 64, bx * 64])
    return main


def rows_of(x, **_):
    a, b, rows = x[0].astype(np.float64), x[1].astype(np.float64), x[2]
    taken = np.where((rows >= 0)[:, None], a[np.maximum(rows, 0)], 0)
    return [taken @ b]


@case(sizes=SHAPES, inputs=lambda rng, M, N, K: [floats(rng, 50, K, dtype=np.float16), floats(rng, K, N, dtype=np.float16),
                                                 integers(rng, M, lo=-3, hi=50)],
      reference=rows_of, terms=lambda K, **_: K, targets=TARGETS)
def prefetched_rows_by_number(M, N, K):
    """Rows that another tensor numbers; those below 0 are zeros."""
    @T.prim_func
    def main(A: T.Tensor((50, K), "float16"), B: T.Tensor((K, N), "float16"), R: T.Tensor((M,), "int32"), C: T.Tensor((M, N), "float32")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 32), "float16")
            c = T.alloc_fragment((64, 32), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=3):
                for i, j in T.Parallel(64, 32):
                    row = T.if_then_else(by * 64 + i < M, R[by * 64 + i], -1)
                    a[i, j] = T.if_then_else(row >= 0 and k * 32 + j < K, A[row, k * 32 + j], 0)
                T.copy(B[k * 32, bx * 32], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 64, bx * 32])
    return main


def convolved(x, size, stride, dilation, pad, **_):
    image, weights = x[0].astype(np.float64), x[1].astype(np.float64)
    image = np.pad(image, [(0, 0), (pad, pad), (pad, pad), (0, 0)])
    n, h, w, c = image.shape
    reach = dilation * (size - 1)
    out = np.zeros((n, (h - reach - 1) // stride + 1, (w - reach - 1) // stride + 1, weights.shape[-1]))
    for i in range(size):
        for j in range(size):
            part = image[:, i * dilation:h - reach + i * dilation:stride, j * dilation:w - reach + j * dilation:stride]
            out += part @ weights[i, j]
    return [out]


CONVOLUTIONS = [dict(N=2, H=8, W=8, C=64, F=64, size=3, stride=1, dilation=1, pad=1),
                dict(N=3, H=9, W=7, C=24, F=40, size=3, stride=2, dilation=2, pad=2),
                dict(N=1, H=5, W=6, C=8, F=8, size=2, stride=1, dilation=1, pad=0),
                dict(N=1, H=6, W=5, C=3, F=16, size=3, stride=1, dilation=1, pad=1)]


@case(sizes=CONVOLUTIONS, inputs=lambda rng, N, H, W, C, F, size, **_: [floats(rng, N, H, W, C, dtype=np.float16),
                                                                        floats(rng, size, size, C, F, dtype=np.float16)],
      reference=convolved, terms=lambda C, size, **_: C * size * size, targets=TARGETS)
def prefetched_convolution(N, H, W, C, F, size, stride, dilation, pad):
    """The matrix of the input is gathered, the weights are a view; with 3 channels no vector is contiguous."""
    OH = (H + 2 * pad - dilation * (size - 1) - 1) // stride + 1
    OW = (W + 2 * pad - dilation * (size - 1) - 1) // stride + 1

    @T.prim_func
    def main(X: T.Tensor((N, H, W, C), "float16"), K: T.Tensor((size, size, C, F), "float16"), Y: T.Tensor((N, OH, OW, F), "float32")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(T.ceildiv(F, 64), T.ceildiv(N * OH * OW, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            weights = T.Tensor((size * size * C, F), "float16", K.data)
            out = T.Tensor((N * OH * OW, F), "float32", Y.data)
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(size * size * C, 32), num_stages=3):
                T.im2col(X, a, by, k, size, stride, dilation, pad)
                T.copy(weights[k * 32, bx * 64], b)
                T.gemm(a, b, c)
            T.copy(c, out[by * 64, bx * 64])
    return main


@case(sizes=[dict(m=130, k=96), dict(m=64, k=40), dict(m=8, k=8)],
      inputs=lambda rng, m, k: [integers(rng, m, 2, k // 2, dtype=np.int8, lo=-9, hi=9), integers(rng, k, 64, dtype=np.int8, lo=-9, hi=9)],
      reference=lambda x, **_: [x[0].reshape(len(x[0]), -1).astype(np.int64) @ x[1]], targets=TARGETS)
def prefetched_views_of_any_extent(m, k):
    """Extents are those of the call; sums of i8 in i32, B as the instruction does not read it."""
    M, K = T.dynamic("M"), T.dynamic("K")

    @T.prim_func
    def main(A: T.Tensor((M, 2, K), "int8"), B: T.Tensor((2 * K, 64), "int8"), C: T.Tensor((M, 64), "int32")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(T.ceildiv(M, 64), threads=128) as by:
            a = T.alloc_shared((64, 32), "int8")
            b = T.alloc_shared((32, 64), "int8")
            c = T.alloc_fragment((64, 64), "int32")
            left = T.view(A, (M, 2 * K))
            T.clear(c)
            for i in T.Pipelined(T.ceildiv(2 * K, 32), num_stages=2):
                T.copy(left[by * 64, i * 32], a)
                T.copy(B[i * 32, 0], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 64, 0])
    return main


@case(sizes=[dict(form=form, **size) for form in ((64 * 32,), (32, 64), (2, 2, 16, 32)) for size in SHAPES],
      inputs=lambda rng, M, N, K, form: [floats(rng, M, K, dtype=np.float16), floats(rng, K, N, dtype=np.float16)],
      reference=product, terms=lambda K, **_: K, targets=TARGETS)
def prefetched_sums_in_a_view(M, N, K, form):
    """The product sums in a view of a fragment, which has another shape for all else."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 32), "float16")
            memory = T.alloc_fragment(form, "float32")
            c = T.view(memory, (64, 32))
            T.fill(memory, 0.0)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=3):
                T.copy(A[by * 64, k * 32], a)
                T.copy(B[k * 32, bx * 32], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 64, bx * 32])
    return main


def gathered_pages(x, **_):
    a, pages, table, counts = x[0].astype(np.float64), x[1].astype(np.float64), x[2], x[3]
    out = np.zeros((len(counts), a.shape[1], pages.shape[2]))
    for b, count in enumerate(counts):
        for k in range(count):
            out[b] += a[b, :, k * 32:k * 32 + 32] @ pages[table[b, k]]
    return [out]


@case(sizes=[dict(B=3, P=6, L=4, N=64, columns=40), dict(B=2, P=3, L=5, N=72, columns=24), dict(B=1, P=1, L=1, N=8, columns=8)],
      inputs=lambda rng, B, P, L, N, columns: [floats(rng, B, N, 32 * L, dtype=np.float16), floats(rng, P, 32, columns, dtype=np.float16),
                                               integers(rng, B, L, lo=0, hi=P), integers(rng, B, lo=0, hi=L + 1)],
      reference=gathered_pages, terms=lambda L, **_: 32 * L, targets=TARGETS)
def prefetched_pages_by_a_table(B, P, L, N, columns):
    """The source index of a copy, and the iteration count, are elements of a tensor."""
    @T.prim_func
    def main(A: T.Tensor((B, N, 32 * L), "float16"), X: T.Tensor((P, 32, columns), "float16"), table: T.Tensor((B, L), "int32"),
             counts: T.Tensor((B,), "int32"), C: T.Tensor((B, N, columns), "float32")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(T.ceildiv(N, 64), B, threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for k in T.Pipelined(counts[by], num_stages=3):
                page = table[by, k]
                T.copy(A[by, bx * 64:bx * 64 + 64, k * 32:k * 32 + 32], a)
                T.copy(X[page, 0:32, 0:64], b)
                T.gemm(a, b, c)
            T.copy(c, C[by, bx * 64:bx * 64 + 64, 0:64])
    return main


@case(sizes=[dict(N=N, parts=parts) for N, parts in ((32768, 3), (30000, 5), (96, 1))], targets=("mp_31", "sm_90a", "sm_80"),
      inputs=lambda rng, N, parts: [floats(rng, parts, N)], terms=lambda parts, **_: parts,
      reference=lambda x, **_: [x[0].astype(np.float64).sum(axis=0)[::-1]])
def tile_in_the_memory_of_its_ring(N, parts):
    """The block has too little memory for the stages and the tile that is written after their loop."""
    @T.prim_func
    def main(A: T.Tensor((parts, N), "float32"), B: T.Tensor((N,), "float32")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(T.ceildiv(N, 16384), threads=256) as bx:
            s = T.alloc_shared((16384,), "float32")
            o = T.alloc_shared((16384,), "float32")
            acc = T.alloc_fragment((16384,), "float32")
            T.clear(acc)
            for k in T.Pipelined(parts, num_stages=3):
                T.copy(A[k, bx * 16384], s)
                for i in T.Parallel(16384):
                    acc[i] += s[i]
            T.copy(acc, o)
            for i in T.Parallel(16384):
                if bx * 16384 + i < N:
                    B[N - 1 - bx * 16384 - i] = o[i]
    return main


@case(sizes=[dict(L=8, rows=1024), dict(L=3, rows=70), dict(L=1, rows=8)], targets=("sm_90a", "sm_80"),
      inputs=lambda rng, L, rows: [floats(rng, 64, 64, dtype=np.float16), floats(rng, rows, 64, dtype=np.float16),
                                   integers(rng, 64 * L, lo=0, hi=rows)],
      reference=lambda x, L, rows: [np.where(x[2] < rows // 2, x[0].astype(np.float64) @ x[1].astype(np.float64)[x[2]].T, -1).sum(axis=1)],
      terms=lambda L, **_: 64 * 64 * L)
def rows_requested_by_the_first_matmul(L, rows):
    """Each iteration sets up registers, and requests the rows of the next one while its first matmul is in flight."""
    @T.prim_func
    def main(Q: T.Tensor((64, 64), "float16"), K: T.Tensor((rows, 64), "float16"), I: T.Tensor((64 * L,), "int32"),
             O: T.Tensor((64,), "float32")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(1, threads=128):
            q = T.alloc_shared((64, 64), "float16")
            k = T.alloc_shared((64, 64), "float16")
            seen = T.alloc_fragment((64,), "bool")
            s = T.alloc_fragment((64, 64), "float32")
            total = T.alloc_fragment((64,), "float32")
            T.copy(Q, q)
            T.clear(total)
            for t in T.Pipelined(L, num_stages=2):
                for j in T.Parallel(64):
                    seen[j] = I[t * 64 + j] < rows // 2
                for j, d in T.Parallel(64, 64):
                    k[j, d] = K[I[t * 64 + j], d]
                T.clear(s)
                T.gemm(q, k, s, transpose_B=True)
                for i, j in T.Parallel(64, 64):
                    s[i, j] = T.if_then_else(seen[j], s[i, j], -1.0)
                T.reduce_sum(s, total, dim=1, clear=False)
            T.copy(total, O)
    return main


def sums_of_rows(x, again, **_):
    return [again * (x[0].astype(np.float64) @ (1 + x[1].astype(np.float64)))]


@case(sizes=[dict(M=M, N=N, stages=stages, again=again) for M, N, stages, again in
             ((130, 520, 2, 1), (64, 256, 3, 2), (7, 40, 2, 3), (64, 32, 3, 1))],
      inputs=lambda rng, M, N, **_: [floats(rng, M, N, dtype=np.float16), floats(rng, N, dtype=np.float32)],
      reference=sums_of_rows, terms=lambda N, again, **_: 2 * N * again, targets=TARGETS)
def slots_read_into_registers(M, N, stages, again):
    """An iteration begins with all reads of its slot, which is filled again during the sums; the loop runs again."""
    m, n = T.dynamic("m"), T.dynamic("n")

    @T.prim_func
    def main(A: T.Tensor((m, n), "float16"), x: T.Tensor((n,), "float32"), y: T.Tensor((m,), "float32")):
        T.annotate_pass_configs({"tl.disable_warp_specialized": True})
        with T.Kernel(T.ceildiv(m, 32), threads=64) as b:
            tile = T.alloc_shared((32, 64), "float16")
            weights = T.alloc_shared((64,), "float32")
            values = T.alloc_fragment((32, 64), "float32")
            factors = T.alloc_fragment((64,), "float32")
            sums = T.alloc_fragment((32,), "float32")
            T.clear(sums)
            for r in T.serial(again):
                for k in T.Pipelined(T.ceildiv(n, 64), num_stages=stages):
                    T.copy(A[b * 32, k * 64], tile)
                    T.copy(x[k * 64], weights)
                    T.copy(tile, values)
                    T.copy(weights, factors)
                    for i, j in T.Parallel(32, 64):
                        values[i, j] = values[i, j] * (1 + factors[j])
                    T.reduce_sum(values, sums, dim=1, clear=False)
            T.copy(sums, y[b * 32])
    return main


@case(sizes=[dict(M=72, N=88, K=200, threads=64, parts=2), dict(M=16, N=24, K=320, threads=32, parts=1), dict(M=8, N=16, K=8, threads=32, parts=1)],
      inputs=lambda rng, M, N, K, **_: [floats(rng, M, K, dtype=np.float16), floats(rng, K, N, dtype=np.float16)],
      reference=product, terms=lambda K, **_: K, targets=TARGETS)
def prefetched_by_one_thread(M, N, K, threads, parts):
    """Blocks that are too small for a producer: one of their threads has the engine copy. The loop may run again."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 32), threads=threads) as (bx, by):
            a = T.alloc_shared((32, 64), "float16")
            b = T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((32, 64), "float32")
            T.clear(c)
            for part in T.serial(parts):
                for k in T.Pipelined(T.ceildiv(K, 64 * parts), num_stages=3):
                    T.copy(A[by * 32, (part * T.ceildiv(K, 64 * parts) + k) * 64], a)
                    T.copy(B[(part * T.ceildiv(K, 64 * parts) + k) * 64, bx * 64], b)
                    T.gemm(a, b, c)
            T.copy(c, C[by * 32, bx * 64])
    return main


def rows_and_tiles(rng, rows, N, K):
    """Factors, the first row of each group, and its first tile of 64 rows."""
    begin = np.concatenate([[0], np.cumsum(rows)]).astype(np.int32)
    first = np.concatenate([[0], np.cumsum([-(-count // 64) for count in rows])]).astype(np.int32)
    return [floats(rng, sum(rows), K, dtype=np.float16), floats(rng, K, N, dtype=np.float16), begin, first[:-1]]


@case(sizes=[dict(rows=(64, 130), N=64, K=128), dict(rows=(40, 1, 72), N=40, K=72), dict(rows=(8,), N=8, K=8)],
      inputs=rows_and_tiles, reference=lambda x, **_: [x[0].astype(np.float64) @ x[1].astype(np.float64)], terms=lambda K, **_: K, targets=TARGETS)
def prefetched_rows_of_a_variable(rows, N, K):
    """The first row of a tile is a name of a variable's value, which is searched before and changes after it."""
    M, G, tiles = sum(rows), len(rows), sum(-(-count // 64) for count in rows)

    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), W: T.Tensor((K, N), "float16"), Begin: T.Tensor((G + 1,), "int32"), First: T.Tensor((G,), "int32"),
             C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 64), threads=128) as bx:
            a = T.alloc_shared((64, 64), "float16")
            w = T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            group = T.alloc_var("int32")
            for t in T.serial(tiles):
                group = 0
                for g in T.serial(G):
                    group = T.if_then_else(t >= First[g], g, group)
                row = Begin[group] + (t - First[group]) * 64
                left = Begin[group + 1] - row
                group = G - 1 - group
                T.clear(c)
                for k in T.Pipelined(T.ceildiv(K, 64), num_stages=2):
                    T.copy(A[row:row + 64, k * 64:k * 64 + 64], a)
                    T.copy(W[k * 64, bx * 64], w)
                    T.gemm(a, w, c)
                for i, j in T.Parallel(64, 64):
                    if i < left and bx * 64 + j < N:
                        C[row + i, bx * 64 + j] = c[i, j]
    return main


@case(sizes=[dict(tiles=1, K=4), dict(tiles=3, K=1), dict(tiles=4, K=7)], terms=lambda K, **_: 64 * K, targets=("mp_31", "sm_90a", "sm_80", "cpu"),
      inputs=lambda rng, tiles, K: [floats(rng, tiles * 64, 64, dtype=np.float16), floats(rng, K * 64, 64, dtype=np.float16)],
      reference=lambda x, tiles, K: [x[0].astype(np.float64) @ x[1].astype(np.float64).reshape(K, 64, 64).sum(0).T])
def prefetch_beside_a_tile_of_the_outer_loop(tiles, K):
    """The inner loop has one matmul, which the next iteration waits for; the slot of the outer loop's tile is released after the last."""
    @T.prim_func
    def main(A: T.Tensor((tiles * 64, 64), "float16"), B: T.Tensor((K * 64, 64), "float16"), C: T.Tensor((tiles * 64, 64), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((64, 64), "float16")
            b = T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            for t in T.serial(tiles):
                T.copy(A[t * 64, 0], a)
                T.clear(c)
                for k in T.Pipelined(K, num_stages=4):
                    T.copy(B[k * 64, 0], b)
                    T.gemm(a, b, c, transpose_B=True)
                T.copy(c, C[t * 64, 0])
    return main


@case(sizes=[dict(K=6, dim=1, part=False), dict(K=3, dim=0, part=False), dict(K=1, dim=1, part=True), dict(K=5, dim=0, part=True)],
      inputs=lambda rng, K, **_: [floats(rng, 32, K * 64, dtype=np.float16)], targets=("mp_31", "mp_22", "sm_90a", "sm_80", "cpu"), terms=lambda **_: 64,
      reference=lambda x, K, dim, part: [np.stack([tile[:, 32 * part:].sum(axis=dim) for tile in
                                                   x[0].astype(np.float64).reshape(32, K, 64).transpose(1, 0, 2)])])
def prefetched_tiles_are_reduced(K, dim, part):
    """A reduction reads the slot, or a part of it, along a dimension of the tile."""
    kept = 32 if part or dim == 1 else 64

    @T.prim_func
    def main(A: T.Tensor((32, K * 64), "float16"), B: T.Tensor((K, kept), "float32")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((32, 64), "float16")
            sums = T.alloc_fragment((kept,), "float32")
            for k in T.Pipelined(K, num_stages=2):
                T.copy(A[0, k * 64], a)
                if part:
                    T.reduce_sum(a[:, 32:], sums, dim=dim)
                else:
                    T.reduce_sum(a, sums, dim=dim)
                T.copy(sums, B[k, :])
    return main


@case(sizes=[dict(M=128, N=64, K=160, changed=False), dict(M=72, N=88, K=104, changed=True), dict(M=16, N=24, K=8, changed=True)],
      inputs=lambda rng, M, N, K, **_: [floats(rng, M, K, dtype=np.float16), floats(rng, K, N, dtype=np.float16)],
      reference=lambda x, changed, **_: [each * (2 if changed else 1) for each in product(x)], terms=lambda K, **_: 2 * K, targets=TARGETS)
def stages_left_to_the_compiler(M, N, K, changed):
    """T.Pipelined without num_stages, also of a tile that the iteration changes."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 32), "float16")
            c = T.alloc_fragment((64, 32), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 32)):
                T.copy(A[by * 64, k * 32], a)
                T.copy(B[k * 32, bx * 32], b)
                if changed:
                    for i, j in T.Parallel(32, 32):
                        b[i, j] = b[i, j] * T.float16(2)
                T.gemm(a, b, c)
            T.copy(c, C[by * 64, bx * 32])
    return main


@case(sizes=[dict(where=where, **size) for where in ("before", "inside", "after", "named", "warps") for size in SHAPES],
      inputs=lambda rng, M, N, K, where: [floats(rng, M, K, dtype=np.float16), floats(rng, K, N, dtype=np.float16)],
      outputs=[2, 3], reference=lambda x, M, N, **_: [*product(x), np.ones((-(-M // 64), -(-N // 32)), np.int32)], terms=lambda K, **_: K, targets=TARGETS)
def prefetched_between_barriers(M, N, K, where):
    """Barriers of the program around and inside of a pipelined loop, and a flag of each finished block after one."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32"), D: T.Tensor((T.ceildiv(M, 64), T.ceildiv(N, 32)), "int32")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 32), "float16")
            c = T.alloc_fragment((64, 32), "float32")
            out = T.alloc_shared((64, 32), "float32")
            tx = T.get_thread_binding()
            T.clear(c)
            if where == "before":
                T.sync_threads()
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=3):
                T.copy(A[by * 64, k * 32], a)
                if where == "inside":
                    T.sync_threads()
                T.copy(B[k * 32, bx * 32], b)
                if where == "warps":
                    T.sync_warp()
                T.gemm(a, b, c)
                if where == "inside":
                    T.sync_threads()
            if where == "named":
                T.sync_threads(3, 128)
            T.copy(c, out)
            if where == "after":
                T.sync_threads()
            T.copy(out, C[by * 64, bx * 32])
            T.sync_threads()
            if tx == 0:
                D[by, bx] = 1
    return main
