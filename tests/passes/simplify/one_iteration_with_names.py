# test: lower after=simplify
def main(A: T.Tensor((64,), "int32"), B: T.Tensor((64,), "int32"), n: T.int32):
    with T.Kernel(1, threads=64) as bx:
        for k in T.serial(3, 4):
            x = A[k] + n
            B[0] = x * x
        for k in T.serial(5, 6):
            x = A[k] - n
            B[1] = x * x
#> ir(1, level="flat", target="mp_31", after="simplify")
#> def main(A: tensor(i32, [64]), B: tensor(i32, [64]), n: i32):
#>     check_tensor(A, align=16)
#>     check_tensor(B, align=16, write=True)
#>     with kernel("main_k0", grid=[1, 1, 1], block=64, smem=0, params=[A, B, n]) as (bx, by, bz):
#>         x_1 = A[3] + n
#>         if leader("block"):
#>             B[0] = x_1 * x_1
#>         x_2 = A[5] - n
#>         if leader("block"):
#>             B[1] = x_2 * x_2
