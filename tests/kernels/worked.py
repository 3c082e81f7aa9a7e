# SPDX-License-Identifier: Apache-2.0
"""Products as libraries have them: batched, along K in parts, of packed weights, sparse and grouped."""
import numpy as np
import tilelang.language as T

from case import case, floats

TARGETS = ("mp_31", "mp_22", "sm_90a", "sm_80")


def half(rng, *shape):
    return floats(rng, *shape, dtype=np.float16)


def eighths(rng, *shape):
    """Values whose products sum to the same bits in any order."""
    return (rng.integers(-8, 9, shape) / 8).astype(np.float16)


def wide(x):
    return [t.astype(np.float64) if t.dtype.kind == "f" else t for t in x]


@case(sizes=[dict(B=2, M=64, N=32, K=64), dict(B=3, M=40, N=24, K=40), dict(B=1, M=8, N=8, K=8)],
      inputs=lambda rng, B, M, N, K: [half(rng, B, M, K), half(rng, B, N, K)],
      reference=lambda x, **_: [wide(x)[0] @ wide(x)[1].transpose(0, 2, 1)], terms=lambda K, **_: K, targets=TARGETS)
def worked_batched_gemm(B, M, N, K):
    @T.prim_func
    def main(A: T.Tensor((B, M, K), "float16"), W: T.Tensor((B, N, K), "float16"), C: T.Tensor((B, M, N), "float16")):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 64), B, threads=128) as (bx, by, bz):
            a = T.alloc_shared((64, 32), "float16")
            w = T.alloc_shared((32, 32), "float16")
            c = T.alloc_fragment((64, 32), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                T.copy(A[bz, by * 64, k * 32], a)
                T.copy(W[bz, bx * 32, k * 32], w)
                T.gemm(a, w, c, transpose_B=True)
            T.copy(c, C[bz, by * 64, bx * 32])
    return main


@case(sizes=[dict(M=64, N=32, K=128, parts=2), dict(M=72, N=40, K=136, parts=3), dict(M=16, N=8, K=16, parts=2)],
      inputs=lambda rng, M, N, K, parts: [eighths(rng, M, K), eighths(rng, K, N)],
      reference=lambda x, **_: [wide(x)[0] @ wide(x)[1]], terms=lambda K, **_: K, targets=TARGETS)
def worked_split_k_gemm(M, N, K, parts):
    """Blocks for parts of K add what they have."""
    iterations = -(-K // 32)
    each = -(-iterations // parts)

    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), W: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 64), threads=128) as (bx, by):
            for i, j in T.Parallel(64, 32):
                C[by * 64 + i, bx * 32 + j] = 0.0
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 64), parts, threads=128) as (bx, by, bz):
            a = T.alloc_shared((64, 32), "float16")
            w = T.alloc_shared((32, 32), "float16")
            c = T.alloc_fragment((64, 32), "float32")
            T.clear(c)
            for k in T.Pipelined(each, num_stages=2):
                T.copy(A[by * 64, (bz * each + k) * 32], a)
                T.copy(W[(bz * each + k) * 32, bx * 32], w)
                T.gemm(a, w, c)
            T.atomic_add(C[by * 64, bx * 32], c)
    return main


@case(sizes=[dict(M=128, N=32, K=96, blocks=4), dict(M=72, N=40, K=72, blocks=3), dict(M=64, N=32, K=32, blocks=2)],
      inputs=lambda rng, M, N, K, blocks: [eighths(rng, M, K), eighths(rng, K, N)],
      reference=lambda x, **_: [wide(x)[0] @ wide(x)[1]], terms=lambda K, **_: K, targets=TARGETS)
def worked_stream_k_gemm(M, N, K, blocks):
    """All blocks have the same number of iterations, which begin and end inside tiles."""
    across, down, iterations = -(-N // 32), -(-M // 64), -(-K // 32)
    each = -(-across * down * iterations // blocks)

    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), W: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 64), threads=128) as (bx, by):
            for i, j in T.Parallel(64, 32):
                C[by * 64 + i, bx * 32 + j] = 0.0
        with T.Kernel(blocks, threads=128) as block:
            a = T.alloc_shared((64, 32), "float16")
            w = T.alloc_shared((32, 32), "float16")
            c = T.alloc_fragment((64, 32), "float32")
            at = T.alloc_var("int32")
            end = T.alloc_var("int32")
            at = block * each
            end = T.min(at + each, across * down * iterations)
            while at < end:
                tile = at // iterations
                first = at % iterations
                count = T.min(iterations - first, end - at)
                T.clear(c)
                for k in T.Pipelined(count, num_stages=2):
                    T.copy(A[tile // across * 64, (first + k) * 32], a)
                    T.copy(W[(first + k) * 32, tile % across * 32], w)
                    T.gemm(a, w, c)
                T.atomic_add(C[tile // across * 64, tile % across * 32], c)
                at += count
    return main


NF4 = np.array([-1.0, -0.6962, -0.5251, -0.3949, -0.2844, -0.1848, -0.0911, 0.0, 0.0796, 0.1609, 0.2461, 0.3379, 0.4407,
                0.5626, 0.7230, 1.0], np.float16)


def unpacked(x, K, kind, **_):
    a, packed, scale = x[0].astype(np.float64), x[1].view(np.uint8), x[2].astype(np.float64)
    code = np.stack([packed & 15, packed >> 4], -1).reshape(len(packed), -1)[:, :K]
    values = NF4.astype(np.float64)[code] if kind == "nf4" else code.astype(np.float64) - 8
    weights = values * np.repeat(scale, 32, 1)[:, :K]
    return [a @ weights.astype(np.float16).astype(np.float64).T]


def packed(rng, M, N, K, kind):
    scale = (2.0 ** -rng.integers(2, 6, (N, -(-K // 32)))).astype(np.float16)
    given = [half(rng, M, K), rng.integers(-128, 128, (N, K // 2)).astype(np.int8), scale]
    return given + [NF4] if kind == "nf4" else given


@case(sizes=[dict(M=64, N=32, K=64, kind="int4"), dict(M=24, N=40, K=80, kind="nf4"), dict(M=64, N=32, K=32, kind="nf4"),
             dict(M=72, N=8, K=48, kind="int4"), dict(M=8, N=16, K=96, kind="int4"), dict(M=72, N=8, K=32, kind="nf4")],
      inputs=packed, reference=unpacked, terms=lambda K, **_: 8 * K, targets=TARGETS)
def worked_dequantised_gemm(M, N, K, kind):
    """Two weights in a byte, a scale for each 32; nf4 uses a lookup table."""
    @T.prim_func
    def int4(A: T.Tensor((M, K), "float16"), W: T.Tensor((N, K // 2), "int8"), S: T.Tensor((N, T.ceildiv(K, 32)), "float16"),
             C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), "float16")
            codes = T.alloc_shared((32, 16), "int8")
            w = T.alloc_fragment((32, 32), "float16")
            c = T.alloc_fragment((64, 32), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                T.copy(A[by * 64, k * 32], a)
                T.copy(W[bx * 32, k * 16], codes)
                for i, j in T.Parallel(32, 32):
                    code = (T.cast(codes[i, j // 2], "uint8") >> T.cast(4 * (j % 2), "uint8")) & T.cast(15, "uint8")
                    w[i, j] = (T.cast(code, "float16") - T.cast(8, "float16")) * S[bx * 32 + i, k]
                T.gemm(a, w, c, transpose_B=True)
            T.copy(c, C[by * 64, bx * 32])

    @T.prim_func
    def nf4(A: T.Tensor((M, K), "float16"), W: T.Tensor((N, K // 2), "int8"), S: T.Tensor((N, T.ceildiv(K, 32)), "float16"),
            V: T.Tensor((16,), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), "float16")
            codes = T.alloc_shared((32, 16), "int8")
            values = T.alloc_shared((16,), "float16")
            w = T.alloc_shared((32, 32), "float16")
            c = T.alloc_fragment((64, 32), "float32")
            T.clear(c)
            T.copy(V, values)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                T.copy(A[by * 64, k * 32], a)
                T.copy(W[bx * 32, k * 16], codes)
                for i, j in T.Parallel(32, 32):
                    w[i, j] = values[(T.cast(codes[i, j // 2], "int32") >> (4 * (j % 2))) & 15] * S[bx * 32 + i, k]
                T.gemm(a, w, c, transpose_B=True)
            T.copy(c, C[by * 64, bx * 32])

    return nf4 if kind == "nf4" else int4


def convolved(x, stride, pad, **_):
    image, weight = wide(x)
    n, h, w, c = image.shape
    kh, kw, _, f = weight.shape
    padded = np.pad(image, ((0, 0), (pad, pad), (pad, pad), (0, 0)))
    oh, ow = (h + 2 * pad - kh) // stride + 1, (w + 2 * pad - kw) // stride + 1
    out = np.zeros((n, oh, ow, f))
    for i in range(kh):
        for j in range(kw):
            part = padded[:, i:i + stride * oh:stride, j:j + stride * ow:stride]
            out += part[:, :oh, :ow] @ weight[i, j]
    return [out]


@case(sizes=[dict(N=1, H=8, W=8, C=32, F=32, size=3, stride=1, pad=1), dict(N=2, H=7, W=5, C=8, F=24, size=3, stride=2, pad=1),
             dict(N=1, H=4, W=4, C=16, F=8, size=1, stride=1, pad=0)],
      inputs=lambda rng, N, H, W, C, F, size, **_: [half(rng, N, H, W, C), half(rng, size, size, C, F)],
      reference=convolved, terms=lambda C, size, **_: C * size * size, targets=TARGETS)
def worked_convolution(N, H, W, C, F, size, stride, pad):
    """A product whose left factor is gathered: a row for each place of the output."""
    oh, ow, K = (H + 2 * pad - size) // stride + 1, (W + 2 * pad - size) // stride + 1, size * size * C

    @T.prim_func
    def main(X: T.Tensor((N, H, W, C), "float16"), Y: T.Tensor((size, size, C, F), "float16"),
             Z: T.Tensor((N, oh, ow, F), "float32")):
        with T.Kernel(T.ceildiv(F, 32), T.ceildiv(N * oh * ow, 64), threads=128) as (bx, by):
            x = T.alloc_shared((64, 32), "float16")
            y = T.alloc_shared((32, 32), "float16")
            z = T.alloc_fragment((64, 32), "float32")
            T.clear(z)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                for i, j in T.Parallel(64, 32):
                    m, c = by * 64 + i, k * 32 + j
                    row = m % (oh * ow) // ow * stride + c // C // size - pad
                    column = m % ow * stride + c // C % size - pad
                    inside = (m < N * oh * ow) and (c < K) and (row >= 0) and (row < H) and (column >= 0) and (column < W)
                    x[i, j] = T.if_then_else(inside, X[m // (oh * ow), row, column, c % C], T.cast(0, "float16"))
                for i, j in T.Parallel(32, 32):
                    c = k * 32 + i
                    y[i, j] = T.if_then_else((c < K) and (bx * 32 + j < F), Y[c // C // size, c // C % size, c % C, bx * 32 + j],
                                             T.cast(0, "float16"))
                T.gemm(x, y, z)
            for i, j in T.Parallel(64, 32):
                m = by * 64 + i
                if (m < N * oh * ow) and (bx * 32 + j < F):
                    Z[m // (oh * ow), m % (oh * ow) // ow, m % ow, bx * 32 + j] = z[i, j]
    return main


def masked_product(x, M, N, K):
    a, w, keep = x[0].astype(np.float64), x[1].astype(np.float64), x[2]
    out = np.zeros((M, N))
    for i, j in np.ndindex(*keep.shape[:2]):
        kept = np.repeat(keep[i, j] != 0, 32)[:K]
        out[i * 64:i * 64 + 64, j * 32:j * 32 + 32] = a[i * 64:i * 64 + 64, kept] @ w[kept, j * 32:j * 32 + 32]
    return [out]


@case(sizes=[dict(M=128, N=64, K=64), dict(M=72, N=40, K=104), dict(M=8, N=8, K=24)],
      inputs=lambda rng, M, N, K: [half(rng, M, K), half(rng, K, N),
                                   rng.integers(0, 2, (-(-M // 64), -(-N // 32), -(-K // 32))).astype(np.int8)],
      reference=masked_product, terms=lambda K, **_: K, targets=TARGETS)
def worked_block_sparse_gemm(M, N, K):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), W: T.Tensor((K, N), "float16"),
             Keep: T.Tensor((T.ceildiv(M, 64), T.ceildiv(N, 32), T.ceildiv(K, 32)), "int8"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), "float16")
            w = T.alloc_shared((32, 32), "float16")
            c = T.alloc_fragment((64, 32), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                if Keep[by, bx, k] != 0:
                    T.copy(A[by * 64, k * 32], a)
                    T.copy(W[k * 32, bx * 32], w)
                    T.gemm(a, w, c)
            T.copy(c, C[by * 64, bx * 32])
    return main


def grouped_product(x, rows, **_):
    a, w = x[0].astype(np.float64), x[1].astype(np.float64)
    ends = np.cumsum(rows)
    return [np.concatenate([a[end - count:end] @ w[group] for group, (count, end) in enumerate(zip(rows, ends))])]


def groups(rng, rows, N, K):
    """Tensors, the first row of each group, and for each tile its group and its first row there."""
    begin = np.concatenate([[0], np.cumsum(rows)]).astype(np.int32)
    tiles = [(group, at) for group, count in enumerate(rows) for at in range(0, count, 64)]
    return [half(rng, sum(rows), K), half(rng, len(rows), K, N), begin, np.array(tiles, np.int32)]


@case(sizes=[dict(rows=(64, 128), N=32, K=64), dict(rows=(40, 0, 72), N=24, K=40), dict(rows=(8,), N=8, K=8)],
      inputs=groups, reference=grouped_product, terms=lambda K, **_: K, targets=TARGETS)
def worked_grouped_gemm(rows, N, K):
    """Rows of different groups use separate weights; a table maps tiles to groups."""
    M, G, tiles = sum(rows), len(rows), sum(-(-count // 64) for count in rows)

    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), W: T.Tensor((G, K, N), "float16"), Begin: T.Tensor((G + 1,), "int32"),
             Tiles: T.Tensor((tiles, 2), "int32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 32), tiles, threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), "float16")
            w = T.alloc_shared((32, 32), "float16")
            c = T.alloc_fragment((64, 32), "float32")
            group = Tiles[by, 0]
            first = Begin[group] + Tiles[by, 1]
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                T.copy(A[first:first + 64, k * 32:k * 32 + 32], a)
                T.copy(W[group, k * 32:k * 32 + 32, bx * 32:bx * 32 + 32], w)
                T.gemm(a, w, c)
            for i, j in T.Parallel(64, 32):
                if (first + i < Begin[group + 1]) and (bx * 32 + j < N):
                    C[first + i, bx * 32 + j] = c[i, j]
    return main


@case(sizes=[dict(N=48, BN=24), dict(N=56, BN=40), dict(N=40, BN=48), dict(N=96, BN=96)],
      inputs=lambda rng, N, BN: [half(rng, 40, 40), half(rng, 40, N)],
      reference=lambda x, **_: [2 * wide(x)[0] @ wide(x)[1]], terms=lambda **_: 80, targets=TARGETS)
def worked_gemm_of_any_width(N, BN):
    """Tiles whose width is not a power of two, in a matmul, a loop over its accumulator and copies."""
    @T.prim_func
    def main(A: T.Tensor((40, 40), "float16"), W: T.Tensor((40, N), "float16"), C: T.Tensor((40, N), "float32")):
        with T.Kernel(T.ceildiv(N, BN), threads=128) as bx:
            a = T.alloc_shared((64, 32), "float16")
            w = T.alloc_shared((32, BN), "float16")
            c = T.alloc_fragment((64, BN), "float32")
            T.clear(c)
            for k in T.Pipelined(2, num_stages=2):
                T.copy(A[0, k * 32], a)
                T.copy(W[k * 32, bx * BN], w)
                T.gemm(a, w, c)
            for i, j in T.Parallel(64, BN):
                c[i, j] = c[i, j] * 2.0
            T.copy(c, C[0, bx * BN])
    return main


@case(sizes=[dict(M=16, D=576), dict(M=5, D=576), dict(M=3, D=224)], inputs=lambda rng, M, D: [half(rng, M, D)],
      reference=lambda x, **_: [wide(x)[0] - wide(x)[0].max(1, keepdims=True)], targets=TARGETS)
def worked_rows_of_any_width(M, D):
    @T.prim_func
    def main(A: T.Tensor((M, D), "float16"), C: T.Tensor((M, D), "float32")):
        with T.Kernel(T.ceildiv(M, 8), threads=128) as bx:
            a = T.alloc_shared((8, D), "float16")
            x = T.alloc_fragment((8, D), "float32")
            top = T.alloc_fragment((8,), "float32")
            T.copy(A[bx * 8, 0], a)
            T.copy(a, x)
            T.reduce_max(x, top, dim=1)
            for i, j in T.Parallel(8, D):
                x[i, j] = x[i, j] - top[i]
            T.copy(x, C[bx * 8, 0])
    return main


def groups_of_columns(x, M, K, G):
    groups = np.abs(x[0].astype(np.float64)).reshape(M, K // G, G).max(2)
    return [groups, x[0] / np.repeat(groups, G, 1)]


@case(sizes=[dict(M=16, K=448, G=32), dict(M=5, K=192, G=64), dict(M=1, K=96, G=32)], outputs=(-2, -1),
      inputs=lambda rng, M, K, G: [floats(rng, M, K)], reference=groups_of_columns, targets=TARGETS)
def worked_groups_of_columns(M, K, G):
    """A scale for each group of columns, as quantisation has them: a fragment seen with three dimensions."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float32"), S: T.Tensor((M, K // G), "float32"), C: T.Tensor((M, K), "float32")):
        with T.Kernel(T.ceildiv(M, 16), threads=128) as bx:
            x = T.alloc_fragment((16, K), "float32")
            scale = T.alloc_fragment((16, K // G), "float32")
            T.copy(A[bx * 16, 0], x)
            groups = T.reshape(x, (16, K // G, G))
            T.reduce_absmax(groups, scale, dim=2)
            for i, j in T.Parallel(16, K):
                x[i, j] = T.if_then_else(bx * 16 + i < M, x[i, j] / scale[i, j // G], 0.0)
            T.copy(scale, S[bx * 16, 0])
            T.copy(x, C[bx * 16, 0])
    return main


def scores(x, **_):
    """Rounded as the kernel rounds them; terms leave room for two that round the other way."""
    q, k, v = wide(x)
    s = q @ k.T
    return [np.exp(s - s.max(1, keepdims=True)).astype(np.float16).astype(np.float64) @ v]


@case(sizes=[dict(N=24), dict(N=40), dict(N=96)], inputs=lambda rng, N: [half(rng, n, 32) for n in (40, N, N)],
      reference=scores, terms=lambda N: 128 * N, targets=TARGETS)
def worked_scores_of_any_width(N):
    """A product's sums become a factor of the next, in a loop that converts them."""
    @T.prim_func
    def main(Q: T.Tensor((40, 32), "float16"), K: T.Tensor((N, 32), "float16"), V: T.Tensor((N, 32), "float16"),
             O: T.Tensor((40, 32), "float32")):
        with T.Kernel(1, threads=128):
            q = T.alloc_shared((64, 32), "float16")
            k = T.alloc_shared((N, 32), "float16")
            v = T.alloc_shared((N, 32), "float16")
            s = T.alloc_fragment((64, N), "float32")
            p = T.alloc_fragment((64, N), "float16")
            o = T.alloc_fragment((64, 32), "float32")
            top = T.alloc_fragment((64,), "float32")
            T.copy(Q[0, 0], q)
            T.copy(K[0, 0], k)
            T.copy(V[0, 0], v)
            T.gemm(q, k, s, transpose_B=True, clear_accum=True)
            T.reduce_max(s, top, dim=1)
            for i, j in T.Parallel(64, N):
                p[i, j] = T.exp(s[i, j] - top[i])
            T.gemm(p, v, o, clear_accum=True)
            T.copy(o, O[0, 0])
    return main
