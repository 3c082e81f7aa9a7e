# SPDX-License-Identifier: Apache-2.0
import numpy as np

from ..task import Part, Task
from .inputs import half


def scaled_relu(A, B):
    return np.maximum(A * B, 0)


TASK = Task(
    title="Multiply, then keep what is positive",
    text="""
    C is the product of A and B, element by element, with 0 in place of what is negative.
    Computing happens in `for i in T.Parallel(TILE)`: its iterations run at the same time, spread over the threads.
    Bring the tiles into fragments first (T.alloc_fragment, registers of the threads), compute there, and copy the result out.""",
    flow=[("memory", ["A[N]", "B[N]"]), ("fragments", ["a[TILE]", "b[TILE]"]), ("T.Parallel", ["c[i] = max(a[i]*b[i], 0)"]),
          ("memory", ["C[N]"])],
    cell="""
    @tilelang.jit
    def scaled_relu(A, B, TILE: int):
        N = T.const("N")
        A: T.Tensor((N,), "float16")
        B: T.Tensor((N,), "float16")
        C = T.empty((N,), "float16")
        # your kernel: with T.Kernel(...) as block: ...
        return C
    """,
    hints=("Three fragments of TILE elements: two come from memory with T.copy, one goes there.",
           "A copy needs only where it begins, the fragment gives the size: T.copy(A[block * TILE], a).",
           "In the loop: c[i] = T.if_then_else(a[i] * b[i] > 0, a[i] * b[i], 0)."),
    parts=[Part(scaled_relu, lambda rng, N, TILE: [half(rng, N), half(rng, N)],
                cases=[dict(N=3, TILE=32), dict(N=64, TILE=32), dict(N=150, TILE=64), dict(N=1024, TILE=256)],
                full=dict(N=1 << 16, TILE=1024), moved={"A": "1", "B": "1", "C": "1"}, operations="3 * N")])
