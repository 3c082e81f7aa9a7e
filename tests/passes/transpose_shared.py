# test: everypass M=100 N=60 target=mp_22
# SPDX-License-Identifier: Apache-2.0
def main(A: T.Tensor((M, N), "float16"), B: T.Tensor((N, M), "float16")):
    with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 32), threads=128) as (bx, by):
        s = T.alloc_shared((32, 32), "float16")
        T.copy(A[by * 32, bx * 32], s)
        for i, j in T.Parallel(32, 32):
            B[bx * 32 + i, by * 32 + j] = s[j, i]
#> elaborate: 9 lines
#> canonicalize: 9 lines
#> verify_kernel: 9 lines
#> select_instructions: 9 lines
#> schedule_pipelines: 9 lines
#> infer_layouts: 9 lines
#> plan_shared_memory: 9 lines
#> insert_barriers: 10 lines
#> lower_tile_ops: 13 lines
#> vectorize: 16 lines
#> flatten: 16 lines
#> simplify: 16 lines
