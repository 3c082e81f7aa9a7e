# SPDX-License-Identifier: Apache-2.0
import numpy as np

from ..task import Part, Task
from .inputs import SINGLE, half


def rms_norm(A, W):
    return A / np.sqrt((A * A).mean(axis=1, keepdims=True) + 1e-5) * W


def inputs(rng, N, M, **_):
    """Rows whose squares overflow a half, and rows that are nearly zero: without 1e-5 they would come out as large."""
    size = np.where(np.arange(N) % 2, 0.003, 300).astype(np.float16)
    return [half(rng, N, M) * size[:, None], half(rng, M)]


TASK = Task(
    title="RMS norm of every row",
    text="""
    Each row of A is divided by the square root of the mean of its squares (plus 1e-5), and multiplied by W: the RMS norm.
    A row fits into the block, so each element of A is loaded once: load ROWS whole rows, reduce, and use them again.
    Squares and sums are float32, inputs and outputs are float16.""",
    flow=[("memory", ["A[N, M]", "W[M]"]), ("fragments", ["a[ROWS, M]", "w[M]"]), ("T.reduce_sum", ["total[ROWS]"]),
          ("memory", ["B[N, M]"])],
    hints=("Use a fragment of (ROWS, M) float32 for the squares: T.reduce_sum gives one number per row.",
           "Convert with a[i, j].astype(\"float32\") before you square: float16 squares lose digits, and overflow at 256.",
           "b[i, j] = a[i, j].astype(\"float32\") * T.rsqrt(total[i] / M + 1e-5) * w[j].astype(\"float32\")"),
    parts=[Part(rms_norm, inputs,
                slack=lambda a, w: (a.shape[1] + 16) * SINGLE * np.abs(rms_norm(a, w)),
                cases=[dict(N=1, M=32, ROWS=4), dict(N=8, M=64, ROWS=4), dict(N=11, M=96, ROWS=4)],
                full=dict(N=64, M=256, ROWS=8), moved={"A": "1", "W": "ceildiv(N, ROWS)", "B": "1"},
                operations="8 * N * M")])
