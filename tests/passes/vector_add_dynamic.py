# test: everypass N=dynamic
# SPDX-License-Identifier: Apache-2.0
def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")):
    with T.Kernel(T.ceildiv(N, 1024), threads=256) as bx:
        for i in T.Parallel(1024):
            C[bx * 1024 + i] = A[bx * 1024 + i] + B[bx * 1024 + i]
#> elaborate: 9 lines
#> canonicalize: 9 lines
#> verify_kernel: 9 lines
#> select_instructions: 9 lines
#> schedule_pipelines: 9 lines
#> infer_layouts: 9 lines
#> plan_shared_memory: 9 lines
#> insert_barriers: 9 lines
#> lower_tile_ops: 10 lines
#> vectorize: 13 lines
#> flatten: 13 lines
#> simplify: 13 lines
