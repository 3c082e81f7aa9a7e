# SPDX-License-Identifier: Apache-2.0
from ..task import Part, Task
from .inputs import half


def transpose(A):
    return A.T


def leaves_rows(kernel):
    """Whether it transfers far more sectors than it needs, as with accesses along columns."""
    lines = kernel.roof().lines
    moved, asked = sum(line.moved for line in lines), sum(line.read + line.written for line in lines)
    if moved < 2 * asked:
        return ""
    return f"threads access columns in memory: they transfer {moved / asked:.3g} times the requested bytes (%roof)"


TASK = Task(
    title="A transpose through shared memory",
    text="""
    B[j, i] is A[i, j]. Threads that read a row of A together would write a column of B, whose elements are far apart in memory.
    Load a tile into shared memory with T.copy, transpose it there, and store it with another T.copy: then both copies use rows.
    The tile that a block reads at [bn * TILE, bm * TILE] belongs to [bm * TILE, bn * TILE] of B.""",
    flow=[("memory", ["A[N, M]"]), ("shared", ["a[TILE, TILE]"]), ("T.Parallel", ["b[j, i] = a[i, j]"]),
          ("memory", ["B[M, N]"])],
    hints=("Use two tiles of TILE x TILE: one as loaded, one transposed.",
           "for i, j in T.Parallel(TILE, TILE): b[j, i] = a[i, j]. It needs a second buffer, because the iterations run at the same time.",
           "T.copy(A[bn * TILE, bm * TILE], a); the loop; T.copy(b, B[bm * TILE, bn * TILE])."),
    parts=[Part(transpose, lambda rng, N, M, TILE: [half(rng, N, M)],
                cases=[dict(N=2, M=3, TILE=16), dict(N=32, M=32, TILE=16), dict(N=20, M=52, TILE=16)],
                full=dict(N=128, M=256, TILE=32), moved={"A": "1", "B": "1"}, operations="0",
                demands=leaves_rows)])
