# SPDX-License-Identifier: Apache-2.0
"""Random numbers: those of cuRAND's Philox generator, here a state machine that gives them one after the other.

The function and its vectors: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011) and
Random123's kat_vectors."""
import math

import numpy as np
import tilelang.language as T

from case import EVERY, case, floats

WORD = 0xffffffff


def philox(counter, key):
    c, k = list(counter), list(key)
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [b >> 32 ^ c[1] ^ k[0], b & WORD, a >> 32 ^ c[3] ^ k[1], a & WORD]
        k = [k[0] + 0x9E3779B9 & WORD, k[1] + 0xBB67AE85 & WORD]
    return c


assert philox((0,) * 4, (0,) * 2) == [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]
assert philox((WORD,) * 4, (WORD,) * 2) == [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]
assert philox((0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344), (0xa4093822, 0x299f31d0)) == [
    0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1]


class Thread:
    """One thread's state: which word of which block comes next, and the second normal number of a pair."""

    def __init__(self, seed, sequence, offset=0):
        seed, sequence = seed % 2**64, sequence % 2**64
        self.key, self.high = (seed & WORD, seed >> 32), (sequence & WORD, sequence >> 32)
        self.next, self.waiting = offset % 2**64, {32: None, 64: None}

    def word(self):
        block, self.next = self.next // 4, self.next + 1
        return philox((block & WORD, block >> 32, *self.high), self.key)[(self.next - 1) % 4]

    def uniform(self, bits=32):
        if bits == 32:
            return np.float32(self.word()) * np.float32(2.0**-32) + np.float32(2.0**-33)
        return (self.word() + 1) * 2.0**-32

    def part(self, bits):
        """The uniform numbers that normal ones are made of: those of float64 have 53 bits of two words."""
        return float(self.uniform()) if bits == 32 else (self.word() ^ self.word() << 21) * 2.0**-53 + 2.0**-54

    def normal(self, bits=32):
        if self.waiting[bits] is not None:
            value, self.waiting[bits] = self.waiting[bits], None
            return value
        u, v = self.part(bits), self.part(bits)
        radius = math.sqrt(-2 * math.log(u))
        self.waiting[bits] = math.cos(2 * math.pi * v) * radius
        return math.sin(2 * math.pi * v) * radius


def spread(extent, threads, vector):
    """The iterations of a T.Parallel in the order in which they run, each with its thread."""
    order = sorted(range(extent), key=lambda i: (i // (vector * threads), i % vector, i // vector))
    return [(i, i // vector % threads) for i in order]


SIZES = [dict(N=1024, seed=42), dict(N=777, seed=-3), dict(N=5, seed=2**40 + 1)]


def dropped(x, N, seed):
    """Blocks of 64 threads with 8 elements each: 16 bytes, where the guard does not part them."""
    out = np.zeros(N)
    for block in range(-(-N // 512)):
        threads = [Thread(seed, block * 64 + t) for t in range(64)]
        for i, t in spread(512, 64, math.gcd(N, 8)):
            keep = threads[t].uniform() >= np.float32(0.3)
            if block * 512 + i < N:
                out[block * 512 + i] = x[0][block * 512 + i] * 2 if keep else 0
    return [out]


@case(sizes=SIZES, inputs=lambda rng, N, seed: [floats(rng, N, dtype=np.float16)], reference=dropped, targets=EVERY)
def random_dropout(N, seed):
    @T.prim_func
    def main(X: T.Tensor((N,), "float16"), Y: T.Tensor((N,), "float16")):
        with T.Kernel(T.ceildiv(N, 512), threads=64) as bx:
            T.rng_init(seed)
            for i, j in T.Parallel(64, 8):
                at = (bx * 64 + i) * 8 + j
                drawn = T.rng_rand_float()
                if at < N:
                    Y[at] = T.if_then_else(drawn >= T.cast(0.3, "float32"), X[at] * T.cast(2, "float16"), T.cast(0, "float16"))
    return main


def every_kind(x, N, seed):
    words, singles, doubles, normals, pairs = (np.zeros(N, kind) for kind in ("uint32", "uint32", "float64", "float32", "float64"))
    for block in range(-(-N // 96)):
        state = [Thread(seed, 7, block * 96 + t * 3) for t in range(32)]
        for out, draw, vector in ((words, Thread.word, 1), (singles, lambda s: s.uniform().view("uint32"), 1),
                                  (doubles, lambda s: s.uniform(64), 1), (normals, Thread.normal, 1),
                                  (pairs, lambda s: s.normal(64), 1)):
            for i, t in spread(96, 32, vector):
                value = draw(state[t])
                if block * 96 + i < N:
                    out[block * 96 + i] = value
    return [words, singles, doubles, normals, pairs]


@case(sizes=[dict(N=192, seed=7), dict(N=150, seed=2**63 - 1), dict(N=2, seed=0)], inputs=lambda rng, **_: [],
      reference=every_kind, outputs=(0, 1, 2, 3, 4), terms=lambda **_: 16, targets=EVERY)
def random_kinds(N, seed):
    """Streams that differ in where they begin, loops one after the other; three iterations a thread leave a pair open."""
    @T.prim_func
    def main(A: T.Tensor((N,), "uint32"), B: T.Tensor((N,), "uint32"), C: T.Tensor((N,), "float64"),
             D: T.Tensor((N,), "float32"), E: T.Tensor((N,), "float64")):
        with T.Kernel(T.ceildiv(N, 96), threads=32) as bx:
            tx = T.get_thread_binding()
            T.rng_init(seed, 7, bx * 96 + tx * 3)
            for i, j in T.Parallel(32, 3):
                if bx * 96 + i * 3 + j < N:
                    A[bx * 96 + i * 3 + j] = T.rng_rand()
            for i, j in T.Parallel(32, 3):
                if bx * 96 + i * 3 + j < N:
                    B[bx * 96 + i * 3 + j] = T.reinterpret(T.rng_rand_float(), "uint32")
            for i, j in T.Parallel(32, 3):
                if bx * 96 + i * 3 + j < N:
                    C[bx * 96 + i * 3 + j] = T.rng_rand_float(bit=64)
            for i, j in T.Parallel(32, 3):
                if bx * 96 + i * 3 + j < N:
                    D[bx * 96 + i * 3 + j] = T.rng_rand_float(dist="normal")
            for i, j in T.Parallel(32, 3):
                if bx * 96 + i * 3 + j < N:
                    E[bx * 96 + i * 3 + j] = T.rng_rand_float(bit=64, dist="normal")
    return main


def by_threads(x, M, seed):
    words, mixed = np.zeros((M, 8), "uint32"), np.zeros((M, 6), "float32")
    for m in range(M):
        s = Thread(seed, m // 8, 3 * (m % 8))
        words[m] = [s.word() for _ in range(8)]
        mixed[m] = [f(s) for f in (Thread.uniform, Thread.normal, Thread.uniform, Thread.normal, Thread.normal, Thread.uniform)]
    return [words, mixed]


@case(sizes=[dict(M=64, seed=1), dict(M=40, seed=9), dict(M=3, seed=5)], inputs=lambda rng, **_: [], reference=by_threads,
      outputs=(0, 1), terms=lambda **_: 16, targets=EVERY)
def random_by_threads(M, seed):
    """Draws of single threads in a loop, and different kinds alternately; the state begins under a condition."""
    @T.prim_func
    def main(W: T.Tensor((M, 8), "uint32"), X: T.Tensor((M, 6), "float32")):
        with T.Kernel(T.ceildiv(M, 32), threads=32) as bx:
            m = bx * 32 + T.get_thread_binding()
            if m < M:
                T.rng_init(seed, m // 8, 3 * (m % 8))
                for i in T.serial(8):
                    W[m, i] = T.rng_rand()
                X[m, 0] = T.rng_rand_float()
                X[m, 1] = T.rng_rand_float(dist="normal")
                X[m, 2] = T.rng_rand_float()
                X[m, 3] = T.rng_rand_float(dist="normal")
                X[m, 4] = T.rng_rand_float(dist="normal")
                X[m, 5] = T.rng_rand_float()
    return main


def mixed_rounds(x, M, N, seed):
    out = np.zeros((M, N, 4))
    for block in range(-(-M // 4)):
        threads = [Thread(seed, block * 32 + t) for t in range(32)]
        for _ in range(3):
            for i, t in spread(4 * N, 32, math.gcd(N, 4)):
                s = threads[t]
                values = [s.normal(), s.uniform(), s.normal(), s.normal()]
                if block * 4 + i // N < M:
                    out[block * 4 + i // N, i % N] += values
    return [out[..., k] for k in range(4)]


@case(sizes=[dict(M=8, N=32, seed=3), dict(M=7, N=24, seed=11), dict(M=1, N=4, seed=0)], inputs=lambda rng, **_: [],
      reference=mixed_rounds, outputs=(0, 1, 2, 3), terms=lambda **_: 64, targets=EVERY)
def random_rounds(M, N, seed):
    """Three normal numbers and a uniform one each time, into fragments, again and again."""
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32"), C: T.Tensor((M, N), "float32"),
             D: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(M, 4), threads=32) as by:
            sums = T.alloc_fragment((4, N), "float32")
            others = T.alloc_fragment((4, N), "float32")
            thirds = T.alloc_fragment((4, N), "float32")
            last = T.alloc_fragment((4, N), "float32")
            T.clear(sums)
            T.clear(others)
            T.clear(thirds)
            T.clear(last)
            T.rng_init(seed)
            for _ in T.serial(3):
                for i, j in T.Parallel(4, N):
                    sums[i, j] += T.rng_rand_float(dist="normal")
                    others[i, j] += T.rng_rand_float()
                    thirds[i, j] += T.rng_rand_float(dist="normal")
                    last[i, j] += T.rng_rand_float(dist="normal")
            T.copy(sums, A[by * 4, 0])
            T.copy(others, B[by * 4, 0])
            T.copy(thirds, C[by * 4, 0])
            T.copy(last, D[by * 4, 0])
    return main
