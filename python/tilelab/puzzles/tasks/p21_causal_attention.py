# SPDX-License-Identifier: Apache-2.0
import numpy as np

from ..task import Task
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
    hints=("Row block * TQ + i uses key k * TK + j if the second is not greater than the first.",
           "The last row of a block is (block + 1) * TQ - 1: how many tiles of TK hold the keys up to there?",
           "for k in T.Serial(T.ceildiv((block + 1) * TQ, TK)); the condition k * TK + j <= block * TQ + i also excludes keys "
           "past the end."),
    parts=[common.part(causal_attention, common.CASES, dict(S=256, D=32, TQ=64, TK=64), moved="(S / TQ + 1) / 2",
                       slack=lambda q, k, v: common.slack(q, k, v, np.tri(len(q), dtype=bool)))])
