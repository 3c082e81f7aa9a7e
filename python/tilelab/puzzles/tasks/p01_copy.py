# SPDX-License-Identifier: Apache-2.0
from ..task import Part, Task
from .inputs import half


def copy(A):
    return A


TASK = Task(
    title="Copy a vector",
    text="""
    B gets every element of A. The grid has one block for each piece of TILE elements, and each block copies its piece.
    T.copy(source, destination) copies a tile; the threads of the block share the work. Pieces are slices, A[from:to].
    N need not be a multiple of TILE: reads past the end give zeros, and writes past the end are dropped.""",
    flow=[("memory", ["A[N]"]), ("each block", ["TILE elements"]), ("memory", ["B[N]"])],
    to_write={"copy": "with T.Kernel(blocks, threads=128) as block: ..."},
    hints=("How many blocks cover N elements, with TILE elements each, if the last piece may be shorter?",
           "T.ceildiv(N, TILE) blocks. Block `block` owns the elements from block * TILE on.",
           "One statement is enough: T.copy of A[block * TILE:(block + 1) * TILE] to the same slice of B."),
    parts=[Part(copy, lambda rng, N, TILE: [half(rng, N)],
                cases=[dict(N=3, TILE=4), dict(N=8, TILE=4), dict(N=250, TILE=64), dict(N=1024, TILE=256)],
                full=dict(N=1 << 16, TILE=1024), moved={"A": "1", "B": "1"}, operations="0")])
