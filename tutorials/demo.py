# SPDX-License-Identifier: Apache-2.0
"""The main job in one go: a kernel is defined, run on the simulated GPU, checked against NumPy, and
seen on its way to MUSA C."""

import time

import numpy as np
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def matmul(M, N, K, BM=128, BN=128, BK=32):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"),
             C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=128) as (bx, by):
            A_shared = T.alloc_shared((BM, BK), "float16")
            B_shared = T.alloc_shared((BK, BN), "float16")
            C_local = T.alloc_fragment((BM, BN), "float32")
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, BK), num_stages=3):
                T.copy(A[by * BM, k * BK], A_shared)
                T.copy(B[k * BK, bx * BN], B_shared)
                T.gemm(A_shared, B_shared, C_local)
            T.copy(C_local, C[by * BM, bx * BN])

    return main


def head(text):
    print(f"\n--- {text} " + "-" * (90 - len(text)))


def main():
    kernel = matmul(512, 512, 512)
    random = np.random.default_rng(0)
    a = random.standard_normal((512, 512)).astype(np.float16)
    b = random.standard_normal((512, 512)).astype(np.float16)

    head("run on the simulated GPU, checked against NumPy")
    start = time.perf_counter()
    c = kernel(a, b)
    took = time.perf_counter() - start
    reference = a.astype(np.float64) @ b.astype(np.float64)
    # float32 sums of K products: 4 K eps (|A| |B|), and the rounding of the result.
    allowed = 4 * 512 * 2.0**-24 * (abs(a).astype(np.float64) @ abs(b).astype(np.float64)) \
        + 2.0**-23 * abs(reference)
    error = abs(c - reference)
    print(f"512 x 512 x 512 in {took * 1e3:.0f} ms; largest error {error.max():.2e}, "
          f"allowed {allowed.min():.2e} or more")
    if not (error <= allowed).all():
        raise SystemExit("the result is wrong")

    head("what each pass did")
    print(kernel.passes())
    head("one difference: infer_layouts")
    print(kernel.diff("schedule_pipelines", "infer_layouts"))
    head("one layout: which thread holds C[17, 40]")
    print(kernel.layout("C_local", element=(17, 40)))
    head("MUSA C")
    print(kernel.source())


if __name__ == "__main__":
    main()
