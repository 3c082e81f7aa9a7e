# SPDX-License-Identifier: Apache-2.0
"""Products whose operands are views, parts, slots and wide rows of shared memory."""
import numpy as np
import tilelang.language as T

from case import case, floats

TARGETS = ("mp_31", "mp_22", "sm_90a", "sm_80")


def product(x, **_):
    return [x[0].astype(np.float64) @ x[1].astype(np.float64)]


def operands(rng, M, N, K, **_):
    return [floats(rng, M, K, dtype=np.float16), floats(rng, K, N, dtype=np.float16)]


def patches(x, KL, **_):
    """For each row, its KL elements from every position on, zeros past the end."""
    rows = np.pad(x[0].astype(np.float64), ((0, 0), (0, KL)))
    windows = np.lib.stride_tricks.sliding_window_view(rows, KL, axis=1)[:, :x[0].shape[1]]
    return [windows @ x[1].astype(np.float64)]


@case(sizes=[dict(N=8, L=32, KL=32, F=32), dict(N=5, L=41, KL=32, F=24), dict(N=1, L=2, KL=16, F=8)],
      inputs=lambda rng, N, L, KL, F: [floats(rng, N, L, dtype=np.float16), floats(rng, KL, F, dtype=np.float16)],
      reference=patches, terms=lambda KL, **_: KL, targets=TARGETS)
def conv1d_of_patches(N, L, KL, F):
    """TileLang's puzzle 09: the patches of a block as the rows of one matrix."""
    @T.prim_func
    def main(X: T.Tensor((N, L), "float16"), W: T.Tensor((KL, F), "float16"), O: T.Tensor((N, L, F), "float32")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(T.ceildiv(N, 8), T.ceildiv(L, 16), threads=128) as (bn, bl):
            x = T.alloc_shared((8, 16, KL), "float16")
            w = T.alloc_shared((KL, 32), "float16")
            o = T.alloc_fragment((128, 32), "float32")
            for i, j, k in T.Parallel(8, 16, KL):
                x[i, j, k] = T.if_then_else(bl * 16 + j + k < L and bn * 8 + i < N, X[bn * 8 + i, bl * 16 + j + k], 0)
            rows = T.reshape(x, (128, KL))
            T.copy(W[0, 0], w)
            T.gemm(rows, w, o, clear_accum=True)
            out = T.reshape(o, (8, 16, 32))
            T.copy(out, O[bn * 8, bl * 16, 0])
    return main


SHAPES = [dict(M=128, N=64, K=128), dict(M=72, N=56, K=104), dict(M=3, N=2, K=5)]


@case(sizes=SHAPES, inputs=operands, reference=product, terms=lambda K, **_: K, targets=TARGETS)
def operands_in_slots_by_hand(M, N, K):
    """The program's own stages: `a[k % 3, :, :]`."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((3, 64, 32), "float16")
            b = T.alloc_shared((3, 32, 32), "float16")
            c = T.alloc_fragment((64, 32), "float32")
            T.clear(c)
            for k in T.serial(T.ceildiv(K, 32)):
                T.copy(A[by * 64, k * 32], a[k % 3, :, :])
                T.copy(B[k * 32, bx * 32], b[k % 3, :, :])
                T.gemm(a[k % 3, :, :], b[k % 3, :, :], c)
            T.copy(c, C[by * 64, bx * 32])
    return main


@case(sizes=SHAPES, inputs=operands, reference=product, terms=lambda K, **_: K, targets=TARGETS)
def operands_that_are_parts(M, N, K):
    """Rows and columns of larger matrices; each part of B is read with two parts of A."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 128), threads=128) as (bx, by):
            a = T.alloc_shared((128, 64), "float16")
            b = T.alloc_shared((64, 32), "float16")
            upper = T.alloc_fragment((64, 32), "float32")
            lower = T.alloc_fragment((64, 32), "float32")
            T.clear(upper)
            T.clear(lower)
            for k in T.serial(T.ceildiv(K, 64)):
                T.copy(A[by * 128, k * 64], a)
                T.copy(B[k * 64, bx * 32], b)
                for half in T.serial(2):
                    T.gemm(a[0:64, half * 32:half * 32 + 32], b[half * 32:half * 32 + 32, :], upper)
                T.gemm(a[64:128, :], b, lower)
            T.copy(upper, C[by * 128, bx * 32])
            T.copy(lower, C[by * 128 + 64, bx * 32])
    return main


@case(sizes=SHAPES, inputs=operands, reference=product, terms=lambda K, **_: K, targets=TARGETS)
def operands_seen_twice(M, N, K):
    """Both operands in one buffer, which two views see, one of another shape than the other."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            both = T.alloc_shared((2 * 64 * 64,), "float16")
            slots = T.view(both, (2, 64, 64))
            rows = T.view(both, (128, 64))
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for k in T.serial(T.ceildiv(K, 64)):
                T.copy(A[by * 64, k * 64], slots[0, :, :])
                T.copy(B[k * 64, bx * 64], rows[64:128, :])
                T.gemm(rows[0:64, :], slots[1, :, :], c)
            T.copy(c, C[by * 64, bx * 64])
    return main


@case(sizes=SHAPES, inputs=operands, terms=lambda K, **_: K, targets=TARGETS,
      reference=lambda x, **_: [product(x)[0] + x[0].astype(np.float64).sum(1)[:, None]])
def operand_read_by_threads_too(M, N, K):
    """The operand is filled, and summed, through another shape than the product sees."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((4, 16, 48), "float16")
            rows = T.reshape(a, (64, 48))
            b = T.alloc_shared((48, 32), "float16")
            c = T.alloc_fragment((64, 32), "float32")
            T.clear(c)
            for k in T.serial(T.ceildiv(K, 48)):
                for i, j, l in T.Parallel(4, 16, 48):
                    a[i, j, l] = T.if_then_else(by * 64 + i * 16 + j < M and k * 48 + l < K,
                                                A[by * 64 + i * 16 + j, k * 48 + l], 0)
                T.copy(B[k * 48, bx * 32], b)
                T.gemm(rows, b, c)
                for i, j in T.Parallel(64, 32):
                    for l in T.serial(48):
                        c[i, j] += rows[i, l].astype("float32")
            T.copy(c, C[by * 64, bx * 32])
    return main


@case(sizes=SHAPES, inputs=operands, reference=product, terms=lambda K, **_: K, targets=TARGETS)
def operands_that_no_descriptor_says(M, N, K):
    """Rows that begin within eight, rows of odd pitch, a view that cuts what chunks would be: threads read them."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((72, 96), "float16")
            odd = T.view(a, (144, 48))
            b = T.alloc_shared((32, 96), "float16")
            c = T.alloc_fragment((64, 32), "float32")
            T.annotate_layout({b: T.Layout((32, 96), lambda i, j: i * 104 + j)})
            T.clear(c)
            for k in T.serial(T.ceildiv(K, 96)):
                T.copy(A[by * 64, k * 96], a[4:68, :])
                for i, j in T.Parallel(32, 96):
                    b[i, j] = T.if_then_else(k * 96 + j < K and bx * 32 + i < N, B[k * 96 + j, bx * 32 + i], 0)
                for i, j in T.Parallel(128, 48):
                    odd[i + 8, j] = odd[i + 8, j] * 2.0
                T.gemm(a[4:68, :], b, c, transpose_B=True)
            for i, j in T.Parallel(64, 32):
                c[i, j] = c[i, j] * 0.5
            T.copy(c, C[by * 64, bx * 32])
    return main


@case(sizes=[dict(M=64, N=24, K=64), dict(M=70, N=20, K=72), dict(M=3, N=2, K=5)], inputs=operands, reference=product,
      terms=lambda K, **_: K, targets=TARGETS)
def sums_in_other_shapes(M, N, K):
    """Views of sums, and of a left factor in registers, in shapes that would cut what a thread holds."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 24), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_fragment((64, 64), "float16")
            b = T.alloc_shared((64, 24), "float16")
            c = T.alloc_fragment((64, 24), "float32")
            short = T.reshape(c, (128, 12))
            long = T.reshape(a, (16, 256))
            T.clear(c)
            for k in T.serial(T.ceildiv(K, 64)):
                T.copy(A[by * 64, k * 64], a)
                T.copy(B[k * 64, bx * 24], b)
                for i, j in T.Parallel(16, 256):
                    long[i, j] = long[i, j] * 2.0
                T.gemm(a, b, c)
            for i, j in T.Parallel(128, 12):
                short[i, j] = short[i, j] * 0.5
            T.copy(c, C[by * 64, bx * 24])
    return main


def scaled_product(x, **_):
    """The product of a and decoded b, in steps of 32 columns that each have a scale."""
    a, b, scale = (each.astype(np.float64) for each in x)
    steps = [a[:, k:k + 32] @ b[k:k + 32] * scale[k // 32] for k in range(0, b.shape[0], 32)]
    return [np.sum(steps, axis=0)]


@case(sizes=[dict(M=M, N=N, K=K, threads=threads, filled=filled)
             for filled in ("by threads", "in parallel", "both", "twice", "in part", "as before", "where asked") for M, N, K, threads in
             ((128, 64, 160, 256), (72, 40, 32, 128), (100, 88, 200, 128))],
      inputs=lambda rng, M, N, K, **_: [floats(rng, M, K, dtype=np.float16), rng.integers(-8, 8, (K, N)).astype(np.int8),
                                        floats(rng, -(-K // 32), dtype=np.float32)],
      reference=scaled_product, terms=lambda K, **_: 8 * K, targets=TARGETS)
def filled_in_each_iteration(M, N, K, threads, filled):
    """Operands that the threads decode, and sums that are scaled after each product; those of which iterations fill other elements."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "int8"), S: T.Tensor((T.ceildiv(K, 32),), "float32"),
             C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 128), threads=threads) as (bx, by):
            tx = T.get_thread_binding()
            a = T.alloc_shared((128, 32), "float16")
            codes = T.alloc_shared((32, 64), "int8")
            b = T.alloc_shared((32, 64), "float16")
            doubled = T.alloc_shared((128, 32), "float16")
            step = T.alloc_fragment((128, 64), "float32")
            c = T.alloc_fragment((128, 64), "float32")
            T.clear(c)
            if filled == "in part":
                T.clear(b)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                T.copy(A[by * 128, k * 32], a)
                T.copy(B[k * 32, bx * 64], codes)
                if filled == "by threads":
                    for i in T.serial(2048 // threads):
                        at = i * threads + tx
                        b[at // 64, at % 64] = T.cast(codes[at // 64, at % 64], "float16")
                elif filled == "in part":
                    for i, j in T.Parallel(32, 64):
                        if k * 32 + i < K:
                            b[i, j] = T.cast(codes[i, j], "float16")
                elif filled == "as before":
                    for i, j in T.Parallel(32, 64):
                        b[i, j] = T.if_then_else(k > 0, b[i, j] * T.float16(0), T.float16(0)) + T.cast(codes[i, j], "float16")
                elif filled == "where asked":
                    for i, j in T.Parallel(32, 64):
                        b[(i + k) % 32, j] = T.cast(codes[(i + k) % 32, j], "float16")
                else:
                    for i, j in T.Parallel(32, 64):
                        b[i, j] = T.cast(codes[i, j], "float16")
                if filled == "twice":
                    T.copy(A[by * 128, k * 32], doubled, disable_tma=True)
                    for i, j in T.Parallel(128, 32):
                        doubled[i, j] = doubled[i, j] * T.float16(2)
                elif filled == "both":
                    for i, j in T.Parallel(128, 32):
                        doubled[i, j] = a[i, j] * T.float16(2)
                if filled in ("both", "twice"):
                    T.gemm(doubled, b, step, clear_accum=True)
                else:
                    T.gemm(a, b, step, clear_accum=True)
                for i, j in T.Parallel(128, 64):
                    c[i, j] += step[i, j] * S[k] * (0.5 if filled in ("both", "twice") else 1.0)
            T.copy(c, C[by * 128, bx * 64])
    return main


def scores_of(x, **_):
    return [np.einsum("bhqd,bhkd->bhqk", x[0].astype(np.float64), x[1].astype(np.float64))]


@case(sizes=[dict(B=1, H=1, Q=1, S=1, D=96, heads=heads) for heads in (1, 2)] + [dict(B=1, H=3, Q=5, S=1, D=64, heads=1), dict(B=2, H=1, Q=1, S=33, D=64, heads=2)],
      inputs=lambda rng, B, H, Q, S, D, heads: [floats(rng, B, H, n, D, dtype=np.float16) for n in (Q, S)],
      reference=scores_of, terms=lambda D, **_: D, targets=TARGETS)
def tiles_longer_than_tensors(B, H, Q, S, D, heads):
    """Several extents of 1: which dimension of a box belongs to which axis of the tensor's map."""
    def at(tensor, b, h, row):
        return tensor[b, h, row:row + 32, 0:D] if heads == 1 else tensor[b, row:row + 32, h, 0:D]

    @T.prim_func
    def main(X: T.Tensor((B, H, Q, D), "float16"), Y: T.Tensor((B, H, S, D), "float16"), C: T.Tensor((B, H, Q, S), "float32")):
        T.annotate_pass_configs({"tilelab.hardware_units": True})
        rows = Y if heads == 1 else T.view(Y, (B, S, H, D))  # the same memory where H or S is 1
        with T.Kernel(B, H, threads=128) as (b, h):
            x = T.alloc_shared((64, D), "float16")
            y = T.alloc_shared((32, D), "float16")
            c = T.alloc_fragment((64, 32), "float32")
            T.copy(X[b, h, 0, 0], x)
            for k in T.Pipelined(T.ceildiv(S, 32), num_stages=2):
                T.copy(at(rows, b, h, k * 32), y)
                T.gemm(x, y, c, transpose_B=True, clear_accum=True)
                T.copy(c, C[b, h, 0, k * 32])
    return main
