# test: everypass M=dynamic
# SPDX-License-Identifier: Apache-2.0
def main(X: T.Tensor((M, 512), "float32"), Y: T.Tensor((M, 512), "float32")):
    with T.Kernel(T.ceildiv(M, 2), threads=128) as bx:
        x = T.alloc_fragment((2, 512), "float32")
        m = T.alloc_fragment((2,), "float32")
        s = T.alloc_fragment((2,), "float32")
        T.copy(X[bx * 2, 0], x)
        T.reduce_max(x, m, dim=1)
        for i, j in T.Parallel(2, 512):
            x[i, j] = T.exp2(x[i, j] * 1.4426950408889634 - m[i] * 1.4426950408889634)
        T.reduce_sum(x, s, dim=1)
        for i, j in T.Parallel(2, 512):
            x[i, j] = x[i, j] / s[i]
        T.copy(x, Y[bx * 2, 0])
#> elaborate: 17 lines
#> canonicalize: 17 lines
#> verify_kernel: 17 lines
#> select_instructions: 17 lines
#> schedule_pipelines: 17 lines
#> infer_layouts: 19 lines
#> plan_shared_memory: 19 lines
#> insert_barriers: 19 lines
#> lower_tile_ops: 56 lines
#> vectorize: 54 lines
#> flatten: 54 lines
#> simplify: 54 lines
