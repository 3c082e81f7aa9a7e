# test: everypass N=1000 target=sm_80
# SPDX-License-Identifier: Apache-2.0
def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
    with T.Kernel(T.ceildiv(N, 128), threads=128) as bx:
        tx = T.get_thread_binding()
        n = T.alloc_var("int32")
        n = 0
        i = bx * 128 + tx
        if i < N:
            while n * n < A[i]:
                n = n + 1
            T.print(n, msg="root")
            T.device_assert(n >= 0, "negative")
            B[i] = n if n % 2 == 0 else -n
#> elaborate: 14 lines
#> canonicalize: 14 lines
#> verify_kernel: 14 lines
#> select_instructions: 14 lines
#> schedule_pipelines: 14 lines
#> infer_layouts: 14 lines
#> plan_shared_memory: 14 lines
#> insert_barriers: 14 lines
#> lower_tile_ops: 14 lines
#> vectorize: 14 lines
#> flatten: 14 lines
#> simplify: 14 lines
