# SPDX-License-Identifier: Apache-2.0
"""Buffers, tensors and variables whose elements are vectors, such as bfloat16x2, and accesses of so many bits."""
import numpy as np
import tilelang.language as T

from case import case, floats, integers

GPUS = ("mp_31", "mp_22", "cpu", "sm_90a", "sm_80")


def of_kind(rng, kind, *shape):
    return floats(rng, *shape, dtype=kind) if kind.startswith("float") else integers(rng, *shape, dtype=kind, lo=-9, hi=9)


@case(sizes=[dict(n=64, kind="float16", lanes=2), dict(n=40, kind="float32", lanes=4), dict(n=7, kind="int8", lanes=4)],
      inputs=lambda rng, n, kind, lanes: [of_kind(rng, kind, n, lanes)], targets=GPUS,
      reference=lambda x, n, kind, lanes: [x[0] + x[0], (x[0] * 2 - x[0]).astype("float32")], outputs=(1, 2))
def tiles_of_vectors(n, kind, lanes):
    """Copies through shared memory and a fragment, arithmetic on elements, a name for one, conversion to another dtype."""
    dtype = f"{kind}x{lanes}"

    @T.prim_func
    def main(A: T.Tensor((n,), dtype), B: T.Tensor((n,), dtype), C: T.Tensor((n,), f"float32x{lanes}")):
        with T.Kernel(1, threads=32) as bx:
            s = T.alloc_shared((n,), dtype)
            f = T.alloc_fragment((n,), dtype)
            T.copy(A, s)
            T.copy(s, f)
            for i in T.Parallel(n):
                f[i] = f[i] + f[i]
            T.copy(f, B)
            for i in T.Parallel(n):
                x = s[i]
                s[i] = x + x
                C[i] = T.cast(s[i] - x, f"float32x{lanes}")
    return main


def largest(x, blocks):
    a = x[0].astype("float32")
    pairs = a.reshape(blocks, 32, 8, 2, 2)
    return [np.abs(a).max(2).astype("float16"), pairs[:, :, 7, 0, ::-1].astype("float16") * 2]


@case(sizes=[dict(blocks=1), dict(blocks=2), dict(blocks=3)], targets=("mp_31", "sm_90a", "sm_80"),
      inputs=lambda rng, blocks: [floats(rng, blocks, 32, 8, 4, dtype="float16")], reference=largest, outputs=(1, 2))
def vectors_of_threads(blocks):
    """Vectors in memory of each thread, a view of their elements, a variable, and the same variable before a change."""
    @T.prim_func
    def main(A: T.Tensor((blocks, 32, 8, 4), "float16"), B: T.Tensor((blocks, 32, 4), "float16"),
             C: T.Tensor((blocks, 32, 2), "float16")):
        with T.Kernel(blocks, threads=32) as bx:
            tx = T.get_thread_binding()
            row = T.alloc_local((4,), "float16")
            largest = T.alloc_local((2,), T.float16x2)
            elements = T.view(largest, (4,), "float16")
            pair = T.alloc_var(T.float16x2)
            for i in T.unroll(8):
                for j in T.vectorized(4):
                    row[j] = A[bx, tx, i, j]
                pair = T.float16x2(row[0], row[1])
                for j in T.unroll(2):
                    packed = T.float16x2(row[j * 2], row[j * 2 + 1])
                    if i == 0:
                        largest[j] = T.abs2(packed)
                    else:
                        largest[j] = T.max2(T.abs2(packed), largest[j])
            for j in T.vectorized(4):
                B[bx, tx, j] = elements[j]
            before = pair
            pair = T.float16x2(T.extract_lane(pair, 1), T.extract_lane(pair, 0))
            pair += T.float16x2(T.extract_lane(before, 1), T.extract_lane(before, 0))
            C[bx, tx, 0:2] = pair
    return main


def same_bits(x, n):
    a = x[0]
    return [a.view("uint32").reshape(n, 2), a.view("uint64").reshape(n), a.reshape(n, 4)[:, ::-1].copy()]


@case(sizes=[dict(n=32), dict(n=8), dict(n=3)], inputs=lambda rng, n: [floats(rng, 4 * n, dtype="float16")], targets=GPUS,
      reference=same_bits, outputs=(1, 2, 3))
def bits_of_vectors(n):
    """T.reinterpret between elements of 16, 32 and 64 bits."""
    @T.prim_func
    def main(A: T.Tensor((4 * n,), "float16"), W: T.Tensor((n,), "uint32x2"), L: T.Tensor((n,), "uint64"),
             H: T.Tensor((n,), "float16x4")):
        with T.Kernel(1, threads=32) as bx:
            for i in T.Parallel(n):
                L[i] = T.reinterpret(A[4 * i:4 * i + 4], "uint64")
                W[i] = T.reinterpret(L[i], T.uint32x2)
                back = T.reinterpret(W[i], T.float16x4)
                H[i] = T.float16x4(T.extract_lane(back, 3), T.extract_lane(back, 2), T.extract_lane(back, 1),
                                   T.extract_lane(back, 0))
    return main


def wide(x, n):
    a = x[0].reshape(n, 4)
    i = np.arange(n)[:, None]
    return [np.where(i % 2 == 0, a, 1).reshape(-1), np.where(i % 3 == 0, 0, a).reshape(-1)]


@case(sizes=[dict(n=32), dict(n=64), dict(n=96)], inputs=lambda rng, n: [floats(rng, 4 * n)],
      targets=("mp_31", "sm_90a", "sm_80"), reference=wide, outputs=(1, 2))
def accesses_of_128_bits(n):
    """T.ldg128, T.stg128, T.sts64, T.lds64, with conditions."""
    @T.prim_func
    def main(A: T.Tensor((4 * n,), "float32"), C: T.Tensor((4 * n,), "float32"), B: T.Tensor((4 * n,), "float32")):
        with T.Kernel(n // 32, threads=32) as bx:
            tx = T.get_thread_binding()
            i = bx * 32 + tx
            s = T.alloc_shared((128,), "float32")
            words = T.ldg128(A[4 * i:4 * i + 4])
            T.stg128(C[4 * i:4 * i + 4], words, pred=i % 2 == 0)
            T.stg128(C[4 * i], T.float32x4(1), i % 2 == 1)
            T.sts64(s[4 * tx:4 * tx + 2], T.ldg64(A[4 * i], pred=i % 3 != 0))
            T.sts32(s[4 * tx + 2], T.ldg32(A[4 * i + 2], i % 3 != 0))
            T.sts32(s[4 * tx + 3], T.ldg32(A[4 * i + 3], i % 3 != 0))
            T.stg128(B[4 * i], T.lds128(s[4 * tx]))
    return main
