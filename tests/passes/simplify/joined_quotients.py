# test: lower after=simplify
ir(1, level="flat", target="mp_31", after="flatten")
def main(A: tensor(i32, [4096])):
    check_tensor(A, align=16, write=True)
    with kernel("main_k0", grid=[1, 1, 1], block=64, smem=0, params=[A]) as (bx, by, bz):
        for v in serial(8):
            A[(tid // 16 + v * 8) * 16 + tid % 16] = v
            A[tid // 16 * 32 + tid % 16 * 2] = v
            A[tid // 16 * 16 + tid % 8] = v
#> ir(1, level="flat", target="mp_31", after="simplify")
#> def main(A: tensor(i32, [4096])):
#>     check_tensor(A, align=16, write=True)
#>     with kernel("main_k0", grid=[1, 1, 1], block=64, smem=0, params=[A]) as (bx, by, bz):
#>         for v in serial(8):
#>             A[v * 128 + tid] = v
#>             A[tid * 2] = v
#>             A[tdiv(tid, 16) * 16 + tmod(tid, 8)] = v
