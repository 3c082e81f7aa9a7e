# SPDX-License-Identifier: Apache-2.0
"""Puzzle 15: Counters are read and written, not added to at once."""
@tilelang.jit
def counts(A):
    N, M = T.const("N, M")
    A: T.Tensor((N, M), "int32")
    H = T.empty((N, 16), "int32")
    with T.Kernel(N, threads=128) as block:
        h = T.alloc_shared((16,), "int32")
        T.clear(h)
        for j in T.Parallel(M):
            h[A[block, j]] = h[A[block, j]] + 1
        T.copy(h, H[block, 0])
    return H
#> puzzle 15, counts(N=2, M=64): race: h[15] in block (0, 0)  (125 times): more than one iteration reads it, iteration j = 0 writes it
