# SPDX-License-Identifier: Apache-2.0
import numpy as np

from ..task import Part, Task
from . import attention as common


def causal_attention(Q, K, V):
    scores = Q @ K.T / np.sqrt(Q.shape[1])
    scores = np.where(np.tri(len(Q), dtype=bool), scores, -np.inf)
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True) @ V


TASK = Task(
    title="Causal attention",
    text="""
    As puzzle 20, but row i only uses the keys 0 to i: each word sees its past, not its future.
    Scores above the diagonal become -infinity. Tiles that are completely above it need not be loaded at all:
    the loop of a block ends with the tile that holds its last row. That halves the traffic and the work.""",
    flow=[("memory", ["Q[S, D]", "K[S, D]", "V[S, D]"]), ("shared", ["q[TQ, D]", "k[TK, D]", "v[TK, D]"]),
          ("tiles to the diagonal", ["s = q @ k.T, masked", "top, total, o += p @ v"]), ("memory", ["O[S, D]"])],
    cell="""
    @tilelang.jit
    def causal_attention(Q, K, V, TQ: int, TK: int):
        S, D = T.const("S, D")
        Q: T.Tensor((S, D), "float16")
        K: T.Tensor((S, D), "float16")
        V: T.Tensor((S, D), "float16")
        O = T.empty((S, D), "float16")
        scale = 1.4426950408889634 / D**0.5
        # your kernel: with T.Kernel(...) as block: ...
        return O
    """,
    hints=("Row block * TQ + i uses key k * TK + j if the second is not greater than the first.",
           "The last row of a block is (block + 1) * TQ - 1: how many tiles of TK hold the keys up to there?",
           "for k in T.Serial(T.ceildiv((block + 1) * TQ, TK)); the condition k * TK + j <= block * TQ + i also excludes keys "
           "past the end."),
    parts=[Part(causal_attention, common.inputs, slack=lambda q, k, v: common.slack(q, k, v, np.tri(len(q), dtype=bool)),
                cases=[dict(S=2, D=16, TQ=16, TK=16), dict(S=32, D=16, TQ=16, TK=16), dict(S=50, D=32, TQ=16, TK=32)],
                full=dict(S=256, D=32, TQ=64, TK=64),
                moved={"Q": "1", "K": "(S / TQ + 1) / 2", "V": "(S / TQ + 1) / 2", "O": "1"},
                operations="4 * S * S * D + 10 * S * S + 4 * S * D * ceildiv(S, TK)")])
