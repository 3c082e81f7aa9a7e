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
#> ir(1, level="flat", target="sm_80", after="simplify")
#> def main(A: tensor(i32, [1000]), B: tensor(i32, [1000])):
#>     check_tensor(A, align=16)
#>     check_tensor(B, align=16, write=True)
#>     with kernel("main_k0", grid=[8, 1, 1], block=128, smem=0, params=[A, B]) as (bx, by, bz):
#>         n = var(i32, 0)
#>         n = 0
#>         i = bx * 128 + tid
#>         if i < 1000:
#>             while n * n < A[i]:
#>                 n = n + 1
#>             print("root", n)
#>             device_assert("negative", n >= 0, n)
#>             B[i] = n if n % 2 == 0 else -n
