# SPDX-License-Identifier: Apache-2.0
import numpy as np

from ..task import Part, Task


def counts(A):
    return (A[:, :, None] == np.arange(16)).sum(axis=1)


TASK = Task(
    title="A parallel histogram",
    text="""
    H[i, v] is the number of times that the value v, 0 to 15, occurs in row i of A. A block counts one row.
    Iterations that add to one counter at the same time lose counts: h[v] = h[v] + 1 reads, adds and writes. T.atomic_add
    does it in one step. Keep the 16 counters in shared memory, initialize them with 0, and write them to H at the end.""",
    flow=[("memory", ["A[N, M]"]), ("T.Parallel", ["v = A[block, j]"]), ("shared", ["h[16], T.atomic_add"]),
          ("memory", ["H[N, 16]"])],
    hints=("h = T.alloc_shared((16,), \"int32\"), and T.clear(h): memory of a block has undefined contents at the start.",
           "for j in T.Parallel(M): each iteration adds 1 to the counter of its value.",
           "T.atomic_add(h[A[block, j]], 1) in the loop, T.copy(h, H[block, 0]) after it."),
    parts=[Part(counts, lambda rng, N, M: [rng.integers(0, 16, (N, M), dtype=np.int32)],
                cases=[dict(N=1, M=3), dict(N=2, M=64), dict(N=5, M=150)],
                full=dict(N=32, M=512), moved={"A": "1", "H": "1"}, operations="0")])
