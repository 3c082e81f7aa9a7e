# SPDX-License-Identifier: Apache-2.0
import numpy as np

from ..task import Part, Task
from .inputs import half


def scaled_relu(A, B):
    return np.maximum(A * B, 0)


TASK = Task(
    title="Multiply, then clamp to positive values",
    text="""
    C is the elementwise product of A and B, with negative values replaced by 0.
    Compute in `for i in T.Parallel(TILE)`: its iterations are distributed over the threads and run at the same time.
    First copy the tiles to fragments (T.alloc_fragment, registers of the threads), compute there, and copy the result out.""",
    flow=[("memory", ["A[N]", "B[N]"]), ("fragments", ["a[TILE]", "b[TILE]"]), ("T.Parallel", ["c[i] = max(a[i]*b[i], 0)"]),
          ("memory", ["C[N]"])],
    hints=("Use three fragments of TILE elements: T.copy fills two of them from memory and stores the third.",
           "A copy needs only its start, the fragment gives the size: T.copy(A[block * TILE], a).",
           "In the loop: c[i] = T.if_then_else(a[i] * b[i] > 0, a[i] * b[i], 0)."),
    parts=[Part(scaled_relu, lambda rng, N, TILE: [half(rng, N), half(rng, N)],
                cases=[dict(N=3, TILE=32), dict(N=64, TILE=32), dict(N=150, TILE=64), dict(N=1024, TILE=256)],
                full=dict(N=1 << 16, TILE=1024), moved={"A": "1", "B": "1", "C": "1"}, operations="3 * N")])
