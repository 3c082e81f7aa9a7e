# SPDX-License-Identifier: Apache-2.0
import numpy as np

from ..task import Part, Task
from .inputs import SINGLE, single


def running_sums(A):
    return np.cumsum(A, axis=1)


TASK = Task(
    title="Running sums",
    text="""
    B[i, j] is the sum of A[i, 0] to A[i, j]. T.cumsum(source, destination, dim=1) computes the running sums of a tile.
    A row is longer than a tile: the loop carries the sum of all previous tiles, one number per row.
    The sum of a tile is its last running sum.""",
    flow=[("memory", ["A[N, M]"]), ("shared, each m", ["a[ROWS, COLUMNS]"]), ("T.cumsum + carry", ["b[ROWS, COLUMNS]"]),
          ("memory", ["B[N, M]"])],
    hints=("Use a tile and its running sums in shared memory, and a carry of ROWS numbers, initialized with 0.",
           "In the loop: T.copy, T.cumsum(a, b, dim=1), add carry[i] to every b[i, j], T.copy to B.",
           "At the end of an iteration carry[i] = b[i, COLUMNS - 1], which already includes the old carry."),
    parts=[Part(running_sums, lambda rng, N, M, **_: [single(rng, N, M)],
                slack=lambda a: 4 * a.shape[1] * SINGLE * np.cumsum(np.abs(a), axis=1),
                cases=[dict(N=1, M=3, ROWS=8, COLUMNS=32), dict(N=8, M=64, ROWS=8, COLUMNS=32),
                       dict(N=11, M=75, ROWS=8, COLUMNS=32)],
                full=dict(N=32, M=512, ROWS=8, COLUMNS=64), moved={"A": "1", "B": "1"}, operations="3 * N * M")])
