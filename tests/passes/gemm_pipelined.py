# test: everypass M=256 N=256 K=128
# SPDX-License-Identifier: Apache-2.0
def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float16")):
    with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
        A_s = T.alloc_shared((64, 32), "float16")
        B_s = T.alloc_shared((32, 64), "float16")
        C_l = T.alloc_fragment((64, 64), "float32")
        T.clear(C_l)
        for k in T.Pipelined(T.ceildiv(K, 32), num_stages=3):
            T.copy(A[by * 64, k * 32], A_s)
            T.copy(B[k * 32, bx * 64], B_s)
            T.gemm(A_s, B_s, C_l)
        T.copy(C_l, C[by * 64, bx * 64])
#> elaborate: 15 lines
#> canonicalize: 15 lines
#> verify_kernel: 15 lines
#> select_instructions: 15 lines
#> schedule_pipelines: 15 lines
#> infer_layouts: 15 lines
#> plan_shared_memory: 15 lines
#> insert_barriers: 17 lines
#> lower_tile_ops: 31 lines
#> vectorize: 28 lines
#> flatten: 28 lines
#> simplify: 28 lines
