# SPDX-License-Identifier: Apache-2.0
import numpy as np

from ..task import Part, Task
from .inputs import half, product_slack


def windows(X, KL):
    padded = np.pad(X, ((0, 0), (0, KL - 1)))
    return np.lib.stride_tricks.sliding_window_view(padded, KL, axis=1)


def convolution(X, W):
    return windows(X, W.shape[0]) @ W  # zeros past the end of a row


def convolution_as_gemm(X, W):
    return windows(X, W.shape[0]) @ W


def part(spec, cases):
    return Part(spec, lambda rng, N, L, KL, F, **_: [half(rng, N, L), half(rng, KL, F)], cases=cases,
                slack=lambda x, w: product_slack(windows(x, w.shape[0]), w),
                full=dict(N=32, L=128, KL=32, F=32, ROWS=16, COLUMNS=32),
                moved={"X": "(COLUMNS + KL) / COLUMNS", "W": "ceildiv(N, ROWS) * ceildiv(L, COLUMNS)", "O": "1"},
                operations="2 * N * L * KL * F")


CASES = [dict(N=1, L=5, KL=16, F=16, ROWS=1, COLUMNS=16), dict(N=2, L=32, KL=16, F=16, ROWS=1, COLUMNS=16),
         dict(N=5, L=40, KL=16, F=16, ROWS=2, COLUMNS=32)]
TASK = Task(
    title="A convolution along rows",
    text="""
    O[n, l, f] is the sum of X[n, l + k] * W[k, f] over k, for l + k inside the row: F filters slide over every row.
    A block computes ROWS x COLUMNS positions. It needs a strip of X that is KL longer than its positions, in shared memory.
    Write it directly first. Then write it as a matrix product: the windows of a block, one per row, times W, with T.gemm.""",
    flow=[("memory", ["X[N, L]", "W[KL, F]"]), ("shared", ["x[ROWS, COLUMNS+KL]", "w[KL, F]"]),
          ("fragment", ["o += x[i, j+k]*w[k, f]"]), ("memory", ["O[N, L, F]"])],
    to_write={"convolution_as_gemm": "the windows in shared memory, then T.gemm"},
    hints=("One T.copy loads the strip x[ROWS, COLUMNS + KL]; elements past the end of a row are 0.",
           "First: for i, j, f in T.Parallel(ROWS, COLUMNS, F), and in it for k in T.Serial(KL): o[i, j, f] += ..., in float32.",
           "Then: windows[i, j, k] = x[i, j + k] in a T.Parallel, and T.gemm(T.reshape(windows, (ROWS * COLUMNS, KL)), w, o, "
           "clear_accum=True) with o of (ROWS * COLUMNS, F); T.reshape restores the shape of o for the copy."),
    parts=[part(convolution, CASES), part(convolution_as_gemm, CASES)])
