# SPDX-License-Identifier: Apache-2.0
from ..task import Part, Task
from .inputs import single, sum_slack


def row_sums(A):
    return A.sum(axis=1)


TASK = Task(
    title="The sum of every row",
    text="""
    S[i] is the sum of row i. A block has ROWS rows and loops over them, COLUMNS at a time: for m in T.Serial(...).
    T.reduce_sum(tile, sums, dim=1) adds up each row of a tile across the threads; with clear=False it adds to the old sums.
    Initialize the sums with 0 before the loop. Columns past the end of A read as zeros.""",
    flow=[("memory", ["A[N, M]"]), ("fragment, each m", ["a[ROWS, COLUMNS]"]), ("T.reduce_sum", ["s[ROWS] += rows of a"]),
          ("memory", ["S[N]"])],
    hints=("Use two fragments: one for the tile, and one for the ROWS running sums, which must persist across the loop.",
           "Before the loop T.clear(s); in the loop a T.copy and a T.reduce_sum; after it one T.copy.",
           "for m in T.Serial(T.ceildiv(M, COLUMNS)): T.copy(A[block * ROWS, m * COLUMNS], a), then "
           "T.reduce_sum(a, s, dim=1, clear=False)."),
    parts=[Part(row_sums, lambda rng, N, M, **_: [single(rng, N, M)], slack=sum_slack,
                cases=[dict(N=1, M=3, ROWS=16, COLUMNS=32), dict(N=16, M=64, ROWS=16, COLUMNS=32),
                       dict(N=20, M=100, ROWS=16, COLUMNS=32)],
                full=dict(N=64, M=1024, ROWS=16, COLUMNS=128), moved={"A": "1", "S": "1"}, operations="N * M")])
