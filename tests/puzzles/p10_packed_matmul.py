# SPDX-License-Identifier: Apache-2.0
"""Puzzle 10: a product with a matrix of 4-bit numbers, two in a byte.

    C[i, j] = sum over k of A[i, k] * (nibble(B, k, j) - 8)

nibble(B, k, j) is the lower half of byte B[k, j // 2] for even j and the upper half for odd j. A block brings the
packed bytes into shared memory, where they take a quarter of the room, and unpacks them there, so the traffic is
small. A zero byte from beyond the edge unpacks to -8, not to 0; along K it is multiplied by a zero of A, along N it is not stored.
"""
import numpy as np
import tilelab as tilelang
import tilelab.language as T
from puzzle import Puzzle, half, main, product


@tilelang.jit
def packed_matmul(A, B, TM: int, TN: int, TK: int):
    M, N, K = T.const("M, N, K")
    A: T.Tensor((M, K), "float16")
    B: T.Tensor((K, N // 2), "uint8")
    C = T.empty((M, N), "float16")
    with T.Kernel(T.ceildiv(M, TM), T.ceildiv(N, TN), threads=128) as (bm, bn):
        a = T.alloc_shared((TM, TK), "float16")
        packed = T.alloc_shared((TK, TN // 2), "uint8")
        b = T.alloc_shared((TK, TN), "float16")
        c = T.alloc_fragment((TM, TN), "float32")
        T.clear(c)
        for k in T.Pipelined(T.ceildiv(K, TK), num_stages=3):
            T.copy(A[bm * TM, k * TK], a)
            T.copy(B[k * TK, bn * TN // 2], packed)
            for i, j in T.Parallel(TK, TN // 2):
                b[i, j * 2] = T.cast(packed[i, j] & 0x0F, "float16") - 8.0
                b[i, j * 2 + 1] = T.cast((packed[i, j] >> 4) & 0x0F, "float16") - 8.0
            T.gemm(a, b, c)
        T.copy(c, C[bm * TM, bn * TN])
    return C


def reference(a, packed):
    b = np.stack([packed & 0x0F, packed >> 4], axis=-1).reshape(packed.shape[0], -1).astype(np.float64) - 8
    return product(a, b)


PARTS = [Puzzle(packed_matmul,
                lambda rng, M, N, K, **_: [half(rng, M, K), rng.integers(0, 256, (K, N // 2), dtype=np.uint8)], reference,
                sizes=[dict(M=128, N=256, K=128, TM=128, TN=128, TK=64), dict(M=100, N=150, K=70, TM=64, TN=64, TK=32),
                       dict(M=1, N=2, K=1, TM=16, TN=16, TK=16)],
                official=dict(M=4096, N=4096, K=4096, TM=128, TN=128, TK=64))]

if __name__ == "__main__":
    main(PARTS)
