# SPDX-License-Identifier: Apache-2.0
import numpy as np

from ..task import Part, Task
from .inputs import single, softmax_slack


def scalar_attention(Q, K, V):
    e = np.exp(Q * K - (Q * K).max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True) * V


TASK = Task(
    title="Attention with one number per head",
    text="""
    P is the softmax of each row of Q * K, elementwise; O is P * V. Do not store products in memory and load them again.
    Use two loops as in puzzle 6: computing Q * K again in the second loop is cheaper than storing and loading it.
    Past the end of a row the product is 0 * 0, which must not contribute to the sum.""",
    flow=[("memory", ["Q[B, S]", "K[B, S]"]), ("loop 1", ["q * k"]), ("per row", ["lse[ROWS]"]),
          ("loop 2, with V", ["exp2(q*k - lse) * v"]), ("memory", ["O[B, S]"])],
    hints=("Start from your softmax: its input is now the product of two tiles.",
           "Put the product into one of the tiles, q[i, j] = q[i, j] * k[i, j], and -infinity where "
           "s * COLUMNS + j is not less than S.",
           "The second loop loads all three and writes T.exp2(q[i, j] * k[i, j] * LOG2_E - lse[i]) * v[i, j]."),
    parts=[Part(scalar_attention, lambda rng, B, S, **_: [single(rng, B, S) for _ in range(3)],
                slack=lambda q, k, v: softmax_slack(q * k, v),
                cases=[dict(B=1, S=1, ROWS=16, COLUMNS=32), dict(B=16, S=64, ROWS=16, COLUMNS=32),
                       dict(B=20, S=75, ROWS=16, COLUMNS=32)],
                full=dict(B=32, S=512, ROWS=16, COLUMNS=128), moved={"Q": "2", "K": "2", "V": "1", "O": "1"},
                operations="12 * B * S")])
