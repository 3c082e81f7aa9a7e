# test: passes run=simplify
# A term smaller than a factor of the divisor does not affect the quotient, only the remainder.
ir(1, level="flat", target="sm_90a")
def f(A: tensor(i32, [4096]), *, N: dim(i32, 0, 4096)):
    with kernel("k", grid=[4, 1, 1], block=128) as (bx, by, bz):
        for j in unroll(16):
            for v in unroll(2):
                A[(tid % 4 * 2 + j * 8 + v) // 64] = (tid % 4 * 2 + j * 8 + v) % 64
                A[(j * 8 + v * 8 + 3) // 64] = (j * 12 + v) % 16
                A[(tid + j * 64) // 128] = (tid + j * 64) % 128
#> ir(1, level="flat", target="sm_90a", after="simplify")
#> def f(A: tensor(i32, [4096]), *, N: dim(i32, 0, 4096)):
#>     with kernel("k", grid=[4, 1, 1], block=128) as (bx, by, bz):
#>         for j in unroll(16):
#>             for v in unroll(2):
#>                 A[tdiv(j, 8)] = tmod(tid, 4) * 2 + v + tmod(j, 8) * 8
#>                 A[tdiv(j + v, 8)] = v + tmod(j * 3, 4) * 4
#>                 A[tdiv(tid + j * 64, 128)] = tmod(tid + j * 64, 128)
