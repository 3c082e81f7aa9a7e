# SPDX-License-Identifier: Apache-2.0
import numpy as np

from ..task import Part, Task
from .inputs import half


def gather_rows(A, I):
    return A[I]


TASK = Task(
    title="Gather rows by index",
    text="""
    Row i of B is row I[i] of A, like a lookup of words in a table of vectors. I holds int32 row indices.
    Load the indices first, then use them: A[numbers[i], j] in a T.Parallel.
    All threads of a row need its index: keep the indices in shared memory, or in a fragment.""",
    flow=[("memory", ["I[N]", "A[K, M]"]), ("shared", ["numbers[ROWS]"]), ("T.Parallel", ["b[i, j] = A[numbers[i], j]"]),
          ("memory", ["B[N, M]"])],
    hints=("The grid covers the tiles of B: ROWS of its rows and COLUMNS of its columns per block.",
           "numbers = T.alloc_shared((ROWS,), \"int32\") and T.copy(I[bn * ROWS], numbers).",
           "b[i, j] = A[numbers[i], bm * COLUMNS + j] for i, j in T.Parallel(ROWS, COLUMNS), then T.copy(b, B[...])."),
    parts=[Part(gather_rows,
                lambda rng, K, M, N, **_: [half(rng, K, M), rng.integers(0, K, N, dtype=np.int32)],
                cases=[dict(K=2, M=3, N=2, ROWS=8, COLUMNS=32), dict(K=9, M=64, N=16, ROWS=8, COLUMNS=32),
                       dict(K=20, M=50, N=21, ROWS=8, COLUMNS=32)],
                full=dict(K=64, M=256, N=128, ROWS=16, COLUMNS=64),
                moved={"A": "N / K", "I": "ceildiv(M, COLUMNS)", "B": "1"}, operations="0")])
