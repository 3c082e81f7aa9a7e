# SPDX-License-Identifier: Apache-2.0
from ..task import Part, Task
from .inputs import half


def outer_sum(A, B):
    return A[:, None] + B


TASK = Task(
    title="All sums of two vectors",
    text="""
    C[i, j] is A[i] + B[j], for all i and j: the inputs are two vectors, the output is a matrix.
    The grid has two dimensions, T.Kernel(blocks_of_rows, blocks_of_columns) as (bn, bm), and so has T.Parallel(ROWS, COLUMNS).
    A block needs ROWS elements of A and COLUMNS elements of B. Load each once, however often the block uses it.""",
    flow=[("memory", ["A[N]", "B[M]"]), ("fragments", ["a[ROWS]", "b[COLUMNS]"]), ("T.Parallel", ["c[i, j] = a[i] + b[j]"]),
          ("memory", ["C[N, M]"])],
    hints=("Block (bn, bm) computes the tile of C that begins at [bn * ROWS, bm * COLUMNS].",
           "Its tile of A begins at bn * ROWS, that of B at bm * COLUMNS. Copy both to one-dimensional fragments.",
           "for i, j in T.Parallel(ROWS, COLUMNS): c[i, j] = a[i] + b[j]. Then T.copy(c, C[bn * ROWS, bm * COLUMNS])."),
    parts=[Part(outer_sum, lambda rng, N, M, **_: [half(rng, N), half(rng, M)],
                cases=[dict(N=1, M=2, ROWS=16, COLUMNS=16), dict(N=32, M=16, ROWS=16, COLUMNS=16),
                       dict(N=20, M=33, ROWS=16, COLUMNS=32), dict(N=64, M=128, ROWS=32, COLUMNS=32)],
                full=dict(N=256, M=512, ROWS=64, COLUMNS=128),
                moved={"A": "ceildiv(M, COLUMNS)", "B": "ceildiv(N, ROWS)", "C": "1"}, operations="N * M")])
