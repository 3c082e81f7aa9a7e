# SPDX-License-Identifier: Apache-2.0
import numpy as np

from ..task import Part, Task
from .inputs import single, softmax_slack


def softmax(A):
    e = np.exp(A - A.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


TASK = Task(
    title="Softmax of every row",
    text="""
    B is the softmax of each row of A. A row does not fit into a block: loop over it twice, COLUMNS at a time.
    The first loop maintains lse, the logarithm (base 2) of the sum of 2^x so far, with x = A * log2(e). It starts at -infinity. A tile
    with maximum t updates it to t + log2(2^(lse - t) + sum of 2^(x - t)). The second loop writes 2^(x - lse).""",
    flow=[("memory", ["A[N, M]"]), ("loop 1, each m", ["a[ROWS, COLUMNS]"]), ("per row", ["lse[ROWS]"]),
          ("loop 2, each m", ["exp2(a - lse)"]), ("memory", ["B[N, M]"])],
    hints=("Before the loop: T.fill(lse, -T.infinity(\"float32\")). In the loop: T.reduce_max and T.reduce_sum with clear=True.",
           "Columns past the end read as 0, which changes a maximum and a sum of exponentials: make them -infinity, "
           "T.if_then_else(m * COLUMNS + j < M, a[i, j], -T.infinity(\"float32\")).",
           "lse[i] = top[i] * LOG2_E + T.log2(T.exp2(lse[i] - top[i] * LOG2_E) + part[i]), where part is the sum of "
           "T.exp2(a[i, j] * LOG2_E - top[i] * LOG2_E) over the tile."),
    parts=[Part(softmax, lambda rng, N, M, **_: [single(rng, N, M)], slack=softmax_slack,
                cases=[dict(N=1, M=2, ROWS=16, COLUMNS=32), dict(N=16, M=64, ROWS=16, COLUMNS=32),
                       dict(N=18, M=75, ROWS=16, COLUMNS=32)],
                full=dict(N=64, M=512, ROWS=16, COLUMNS=128), moved={"A": "2", "B": "1"},
                operations="10 * N * M")])
