# SPDX-License-Identifier: Apache-2.0
from ..task import Part, Task
from .inputs import half, product_slack


def matrix_vector(A, X):
    return A @ X


def matmul(A, B):
    return A @ B


TASK = Task(
    title="Products with a vector and with a matrix",
    text="""
    Y is A times the vector X; C is A times the matrix B. Inputs and outputs are float16, sums are float32.
    The matrix-vector product is puzzle 5 with a multiplication before the sum. For the matrix product, T.gemm(a, b, c) multiplies
    tiles and adds to c. T.Pipelined(iterations, num_stages=3) instead of T.Serial overlaps loads of the next tiles with T.gemm.""",
    flow=[("memory", ["A[M, K]", "B[K, N]"]), ("shared, each k", ["a[TM, TK]", "b[TK, TN]"]),
          ("fragment", ["c[TM, TN] += a @ b"]), ("memory", ["C[M, N]"])],
    cell="""
    @tilelang.jit
    def matrix_vector(A, X, ROWS: int, COLUMNS: int):
        M, K = T.const("M, K")
        A: T.Tensor((M, K), "float16")
        X: T.Tensor((K,), "float16")
        Y = T.empty((M,), "float16")
        # your kernel: with T.Kernel(...) as block: ...
        return Y


    @tilelang.jit
    def matmul(A, B, TM: int, TN: int, TK: int):
        M, N, K = T.const("M, N, K")
        A: T.Tensor((M, K), "float16")
        B: T.Tensor((K, N), "float16")
        C = T.empty((M, N), "float16")
        # your kernel: with T.Kernel(...) as (bn, bm): ...
        return C
    """,
    hints=("Convert before you multiply: a[i, j].astype(\"float32\"). The sums are a float32 fragment.",
           "For C: tiles of A and B in shared memory, c in a fragment that T.clear initializes before the loop over K.",
           "In the loop: T.copy(A[bm * TM, k * TK], a), T.copy(B[k * TK, bn * TN], b), T.gemm(a, b, c). After it "
           "T.copy(c, C[bm * TM, bn * TN])."),
    parts=[Part(matrix_vector, lambda rng, M, K, **_: [half(rng, M, K), half(rng, K)], slack=product_slack,
                cases=[dict(M=1, K=1, ROWS=32, COLUMNS=32), dict(M=64, K=32, ROWS=32, COLUMNS=32),
                       dict(M=50, K=77, ROWS=32, COLUMNS=32)],
                full=dict(M=256, K=128, ROWS=128, COLUMNS=32),
                moved={"A": "1", "X": "ceildiv(M, ROWS)", "Y": "1"}, operations="2 * M * K"),
           Part(matmul, lambda rng, M, N, K, **_: [half(rng, M, K), half(rng, K, N)], slack=product_slack,
                cases=[dict(M=1, N=2, K=3, TM=16, TN=16, TK=16), dict(M=32, N=32, K=32, TM=16, TN=16, TK=16),
                       dict(M=30, N=50, K=40, TM=32, TN=32, TK=16)],
                full=dict(M=256, N=256, K=128, TM=128, TN=128, TK=32),
                moved={"A": "ceildiv(N, TN)", "B": "ceildiv(M, TM)", "C": "1"}, operations="2 * M * N * K")])
