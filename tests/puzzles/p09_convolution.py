# SPDX-License-Identifier: Apache-2.0
"""Puzzle 9: a convolution along rows, with several filters.

    O[n, l, f] = sum over k of X[n, l + k] * W[k, f]      where l + k < L

First as it is written: each block loads a strip of X that is KL longer than its piece of the output, so that every
window is in shared memory; what the strip holds beyond the end of a row is zero. Then as a product of matrices: the
windows of a block's positions, written out one a row, times W. That multiplies the same numbers, but T.gemm does it.
"""
import numpy as np
from puzzle import Puzzle, half, main, product
from tilelab.puzzles.solutions.p09_convolution import convolution, convolution_as_gemm


def reference(x, w):
    padded = np.pad(x, ((0, 0), (0, w.shape[0] - 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, w.shape[0], axis=1)
    return product(windows, w)


def inputs(rng, N, L, KL, F, **_):
    return [half(rng, N, L), half(rng, KL, F)]


SIZES = [dict(N=32, L=64, KL=32, F=32, ROWS=16, COLUMNS=32), dict(N=19, L=77, KL=16, F=32, ROWS=16, COLUMNS=32),
         dict(N=1, L=5, KL=16, F=16, ROWS=1, COLUMNS=16)]
OFFICIAL = dict(N=1024, L=1024, KL=32, F=32, ROWS=16, COLUMNS=32)
PARTS = [Puzzle(convolution, inputs, reference, SIZES, OFFICIAL),
         Puzzle(convolution_as_gemm, inputs, reference, SIZES, OFFICIAL)]

if __name__ == "__main__":
    main(PARTS)
