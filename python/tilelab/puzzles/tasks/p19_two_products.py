# SPDX-License-Identifier: Apache-2.0
import numpy as np

from ..task import Part, Task
from .inputs import HALF, half, product_slack


def two_products(A, B, C):
    return (A @ B.T) @ C


def slack(a, b, c):
    """The product in the middle is rounded to a half."""
    middle = a @ b.T
    return (HALF * np.abs(middle) + product_slack(a, b.T)) @ np.abs(c) + product_slack(middle, c)


TASK = Task(
    title="Two matrix products in one kernel",
    text="""
    O is (A @ B.T) @ C. The intermediate product, [M, S], is larger than all other tensors: do not store it in memory.
    Loop over S: compute a tile s of A @ B.T, convert it to float16 in shared memory, and add its product with C's tile to o.
    D is small: a block keeps TM whole rows of A, and reads tiles of [TS, D] of B and of C.""",
    flow=[("memory", ["A[M, D]", "B[S, D]", "C[S, D]"]), ("shared", ["a[TM, D]", "b[TS, D]", "c[TS, D]"]),
          ("T.gemm, twice", ["s = a @ b.T", "o += s @ c"]), ("memory", ["O[M, D]"])],
    hints=("Load a before the loop, b and c in each iteration. Clear s in each iteration, o before the loop.",
           "T.gemm(a, b, s, transpose_B=True, clear_accum=True) multiplies by the transposed tile and overwrites s.",
           "T.copy(s, p) with p in shared memory, float16; then T.gemm(p, c, o)."),
    parts=[Part(two_products, lambda rng, M, S, D, **_: [half(rng, M, D), half(rng, S, D), half(rng, S, D)], slack=slack,
                cases=[dict(M=1, S=2, D=16, TM=16, TS=16), dict(M=32, S=32, D=16, TM=16, TS=16),
                       dict(M=20, S=50, D=32, TM=16, TS=32)],
                full=dict(M=128, S=256, D=32, TM=64, TS=32),
                moved={"A": "1", "B": "ceildiv(M, TM)", "C": "ceildiv(M, TM)", "O": "1"}, operations="4 * M * S * D")])
