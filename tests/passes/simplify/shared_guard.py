# test: lower after=simplify N=dynamic
def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32"), c: T.int32):
    with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
        for i in T.Parallel(64):
            if c > 3:
                B[bx * 64 + i] = 1
            else:
                B[bx * 64 + i] = 2
#> ir(1, level="flat", target="mp_31", after="simplify")
#> def main(A: tensor(i32, [N]), B: tensor(i32, [N]), c: i32, *, N: dim(i32, 0, 2147418112)):
#>     bind(N, B, 0)
#>     check_tensor(A, align=16)
#>     check_tensor(B, align=16, write=True)
#>     with kernel("main_k0", grid=[ceildiv(N, 64), 1, 1], block=64, smem=0, params=[B, c, N]) as (bx, by, bz):
#>         if guard(bx * 64 + tid < N):
#>             if c > 3:
#>                 B[bx * 64 + tid] = 1
#>             else:
#>                 B[bx * 64 + tid] = 2
