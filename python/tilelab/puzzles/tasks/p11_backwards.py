# SPDX-License-Identifier: Apache-2.0
from ..task import Part, Task
from .inputs import half


def backwards(A):
    return A[::-1]


TASK = Task(
    title="Reverse a vector",
    text="""
    B is A from its last element to its first. T.copy keeps the order of a tile, so here you copy element by element:
    in a T.Parallel, B[...] = A[...] with indices that you compute.
    The last block has iterations beyond N: their writes past the end of B are dropped.""",
    flow=[("memory", ["A[N]"]), ("T.Parallel(TILE)", ["element N - 1 - i"]), ("memory", ["B[N]"])],
    hints=("Iteration i of block `block` owns the element at = block * TILE + i of B.",
           "B[0] is A[N - 1], B[1] is A[N - 2]: which element of A is B[at]?",
           "if at < N: B[at] = A[N - 1 - at]; the condition keeps the index of A from becoming negative."),
    parts=[Part(backwards, lambda rng, N, TILE: [half(rng, N)],
                cases=[dict(N=3, TILE=32), dict(N=64, TILE=32), dict(N=150, TILE=64)],
                full=dict(N=1 << 14, TILE=1024), moved={"A": "1", "B": "1"}, operations="0")])
