# SPDX-License-Identifier: Apache-2.0
import numpy as np

from ..task import Part, Task
from .inputs import half, product_slack


def unpacked(B):
    return np.stack([B & 0x0F, B >> 4], axis=-1).reshape(B.shape[0], -1) - 8.0


def packed_matmul(A, B):
    return A @ unpacked(B)  # column 2 j is the lower half of byte j, column 2 j + 1 the upper


TASK = Task(
    title="A matrix product with packed 4-bit numbers",
    text="""
    B holds two numbers in each byte: the lower 4 bits are an even column, the upper 4 the odd one after it; 8 represents 0.
    C is A times the unpacked B. Load the bytes packed, a quarter of the traffic, and unpack them in shared memory.
    T.cast(x, "float16") converts an integer; & and >> split bytes.""",
    flow=[("memory", ["A[M, K]", "B[K, N/2]"]), ("shared, each k", ["a[TM, TK]", "packed[TK, TN/2]"]),
          ("shared", ["b[TK, TN]"]), ("T.gemm", ["c[TM, TN] += a@b"]), ("memory", ["C[M, N]"])],
    hints=("It is the product of puzzle 8 with one more step: B's tile consists of bytes, [TK, TN // 2].",
           "A T.Parallel(TK, TN // 2) between the copies and T.gemm writes two elements of b in each iteration.",
           "b[i, j * 2] = T.cast(packed[i, j] & 0x0F, \"float16\") - 8.0; the odd one has (packed[i, j] >> 4) & 0x0F."),
    parts=[Part(packed_matmul,
                lambda rng, M, N, K, **_: [half(rng, M, K), rng.integers(0, 256, (K, N // 2), dtype=np.uint8)],
                slack=lambda a, b: product_slack(a, unpacked(b)),
                cases=[dict(M=1, N=2, K=1, TM=16, TN=16, TK=16), dict(M=32, N=32, K=32, TM=16, TN=16, TK=16),
                       dict(M=20, N=50, K=40, TM=32, TN=32, TK=16)],
                full=dict(M=128, N=256, K=128, TM=128, TN=128, TK=64),
                moved={"A": "ceildiv(N, TN)", "B": "ceildiv(M, TM)", "C": "1"},
                operations="2 * M * N * K + 2 * K * N * ceildiv(M, TM)")])
