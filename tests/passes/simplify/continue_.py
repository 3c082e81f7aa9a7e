# test: lower after=simplify
def main(A: T.Tensor((64,), "int32"), B: T.Tensor((64,), "int32"), n: T.int32):
    with T.Kernel(1, threads=1) as bx:
        for i in T.serial(60, 0, -7):
            if i == 4:
                continue
            B[i] = A[i]
#> ir(1, level="flat", target="mp_31", after="simplify")
#> def main(A: tensor(i32, [64]), B: tensor(i32, [64]), n: i32):
#>     check_tensor(A, align=16)
#>     check_tensor(B, align=16, write=True)
#>     with kernel("main_k0", grid=[1, 1, 1], block=1, smem=0, params=[A, B]) as (bx, by, bz):
#>         for i in serial(9):
#>             if 60 - i * 7 != 4:
#>                 B[60 - i * 7] = A[60 - i * 7]
