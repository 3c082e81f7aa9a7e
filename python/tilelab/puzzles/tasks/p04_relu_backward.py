# SPDX-License-Identifier: Apache-2.0
import numpy as np

from ..task import Part, Task
from .inputs import half


def relu_backward(A, B, D):
    return np.where(A * B > 0, D * B, 0)


def inputs(rng, N, M, **_):
    # No product is near the smallest half: rounding must not decide whether it is positive.
    a, b = (np.copysign(np.abs(half(rng, *shape)) + np.float16(0.01), half(rng, *shape)) for shape in ((N, M), (M,)))
    return [a, b, half(rng, N, M)]


TASK = Task(
    title="The gradient of puzzle 2",
    text="""
    Let C = max(A * B, 0), where the vector B multiplies every row of A, and let D be the gradient of C. G is the gradient of A.
    G[i, j] is D[i, j] * B[j] where A[i, j] * B[j] is positive, and 0 elsewhere.
    Keep the inputs in shared memory (T.alloc_shared), which every thread of the block can read; store G from a fragment.""",
    flow=[("memory", ["A[N, M]", "B[M]", "D[N, M]"]), ("shared", ["a[ROWS, COLUMNS]", "b[COLUMNS]", "d[ROWS, COLUMNS]"]),
          ("fragment", ["g[ROWS, COLUMNS]"]), ("memory", ["G[N, M]"])],
    hints=("The grid is that of puzzle 3. Which of the three inputs does not depend on the row?",
           "B's tile begins at bm * COLUMNS, those of A and D at [bn * ROWS, bm * COLUMNS].",
           "g[i, j] = T.if_then_else(a[i, j] * b[j] > 0, d[i, j] * b[j], 0)"),
    parts=[Part(relu_backward, inputs,
                cases=[dict(N=2, M=3, ROWS=16, COLUMNS=16), dict(N=16, M=32, ROWS=16, COLUMNS=16),
                       dict(N=19, M=50, ROWS=16, COLUMNS=32)],
                full=dict(N=128, M=256, ROWS=64, COLUMNS=64),
                moved={"A": "1", "B": "ceildiv(N, ROWS)", "D": "1", "G": "1"}, operations="3 * N * M")])
