# SPDX-License-Identifier: Apache-2.0
import numpy as np

from ..task import Task
from . import attention as common


def attention(Q, K, V):
    scores = Q @ K.T / np.sqrt(Q.shape[1])
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True) @ V


TASK = Task(
    title="Attention in one loop",
    text="""
    O is softmax(Q @ K.T / sqrt(D)) @ V, for one head: puzzle 19 with a softmax between the two products, in one loop. Keep each
    row's maximum, sum and o so far. When a tile raises the maximum from old to new, first multiply the sum and o by exp(old - new).
    At the end divide o by the sum. Work in powers of 2: exp(x) = 2^(x log2(e)).""",
    flow=[("memory", ["Q[S, D]", "K[S, D]", "V[S, D]"]), ("shared", ["q[TQ, D]", "k[TK, D]", "v[TK, D]"]),
          ("each tile", ["s = q @ k.T", "top, total, o += p @ v"]), ("memory", ["O[S, D]"])],
    hints=("Keys past the end must get the score -infinity: test k * TK + j < S before the maximum.",
           "T.copy(top, old), then T.reduce_max(s, top, dim=1, clear=False): the new maximum, and the previous one.",
           "factor[i] = T.exp2((old[i] - top[i]) * scale); p = T.exp2((s[i, j] - top[i]) * scale); total[i] = total[i] * "
           "factor[i] + the sum of p; o[i, j] *= factor[i]; then T.gemm(p, v, o) with p as float16 in shared memory."),
    parts=[common.part(attention, common.CASES, dict(S=256, D=32, TQ=64, TK=64))])
