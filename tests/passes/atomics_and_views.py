# test: everypass N=4096
# SPDX-License-Identifier: Apache-2.0
def main(A: T.Tensor((N,), "float32"), B: T.Tensor((16,), "float32"), C: T.Tensor((N,), "bfloat16")):
    with T.Kernel(N // 1024, threads=128) as bx:
        s = T.alloc_shared((1024,), "float32")
        f = T.alloc_fragment((16, 64), "float32")
        r = T.alloc_fragment((16,), "float32")
        T.copy(A[bx * 1024], s)
        v = T.reshape(s, (16, 64))
        T.copy(v, f)
        T.reduce_absmax(f, r, dim=1)
        for i in T.Parallel(16):
            T.atomic_max(B[i], r[i])
        for i, j in T.Parallel(16, 64):
            f[i, j] = T.max(f[i, j], 0.0) * T.cast(i, "float32")
        for i, j in T.Parallel(16, 64):
            C[bx * 1024 + i * 64 + j] = T.cast(f[i, j], "bfloat16")
#> elaborate: 19 lines
#> canonicalize: 19 lines
#> verify_kernel: 19 lines
#> select_instructions: 19 lines
#> schedule_pipelines: 19 lines
#> infer_layouts: 19 lines
#> plan_shared_memory: 19 lines
#> insert_barriers: 20 lines
#> lower_tile_ops: 29 lines
#> vectorize: 29 lines
#> flatten: 29 lines
#> simplify: 29 lines
