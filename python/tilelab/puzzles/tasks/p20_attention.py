# SPDX-License-Identifier: Apache-2.0
import numpy as np

from ..task import Part, Task
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
    cell="""
    @tilelang.jit
    def attention(Q, K, V, TQ: int, TK: int):
        S, D = T.const("S, D")
        Q: T.Tensor((S, D), "float16")
        K: T.Tensor((S, D), "float16")
        V: T.Tensor((S, D), "float16")
        O = T.empty((S, D), "float16")
        scale = 1.4426950408889634 / D**0.5
        # your kernel: with T.Kernel(...) as block: ...
        return O
    """,
    hints=("Keys past the end must get the score -infinity: test k * TK + j < S before the maximum.",
           "T.copy(top, old), then T.reduce_max(s, top, dim=1, clear=False): the new maximum, and the previous one.",
           "factor[i] = T.exp2((old[i] - top[i]) * scale); p = T.exp2((s[i, j] - top[i]) * scale); total[i] = total[i] * "
           "factor[i] + the sum of p; o[i, j] *= factor[i]; then T.gemm(p, v, o) with p as float16 in shared memory."),
    parts=[Part(attention, common.inputs, slack=common.slack,
                cases=[dict(S=2, D=16, TQ=16, TK=16), dict(S=32, D=16, TQ=16, TK=16), dict(S=50, D=32, TQ=16, TK=32)],
                full=dict(S=256, D=32, TQ=64, TK=64),
                moved={"Q": "1", "K": "ceildiv(S, TQ)", "V": "ceildiv(S, TQ)", "O": "1"},
                operations="4 * S * S * D + 10 * S * S + 4 * S * D * ceildiv(S, TK)")])
