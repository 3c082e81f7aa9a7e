# SPDX-License-Identifier: Apache-2.0
import numpy as np

from ..task import Part, Task
from .inputs import half, product_slack


def linear_layer(A, B, bias):
    return np.maximum(A @ B + bias, 0)


TASK = Task(
    title="A linear layer in one kernel",
    text="""
    C is max(A @ B + bias, 0), where bias has one number per column. Three kernels would write the product, read it, and write it again.
    After the loop over K the sums are in a fragment: add the bias and apply the maximum there, and write once.
    The work after the main loop of a kernel is called its epilogue.""",
    flow=[("memory", ["A[M, K]", "B[K, N]"]), ("shared, each k", ["a[TM, TK]", "b[TK, TN]"]),
          ("fragment", ["c += a@b; max(c+bias, 0)"]), ("memory", ["C[M, N]"])],
    hints=("Start from the product of puzzle 8. Its c is a fragment: a T.Parallel(TM, TN) can modify it.",
           "The bias of the block's columns: a fragment of TN float32, copied once.",
           "After the loop: c[i, j] = T.max(c[i, j] + b0[j], 0), then T.copy(c, C[bm * TM, bn * TN])."),
    parts=[Part(linear_layer,
                lambda rng, M, N, K, **_: [half(rng, M, K), half(rng, K, N), rng.standard_normal(N, dtype=np.float32)],
                slack=lambda a, b, bias: product_slack(a, b) + 1e-6 * np.abs(bias),
                cases=[dict(M=1, N=2, K=3, TM=16, TN=16, TK=16), dict(M=32, N=32, K=32, TM=16, TN=16, TK=16),
                       dict(M=30, N=50, K=40, TM=32, TN=32, TK=16)],
                full=dict(M=128, N=256, K=128, TM=64, TN=64, TK=32),
                moved={"A": "ceildiv(N, TN)", "B": "ceildiv(M, TM)", "bias": "ceildiv(M, TM)", "C": "1"},
                operations="2 * M * N * K + 3 * M * N")])
