# test: passes run=simplify
# A divisor that is not negative is above zero where a quotient exists: the quotient is not negative, and the remainder is below the dividend.
ir(1, level="flat", target="mp_31")
def f(A: tensor(f32, [4096]), *, m: dim(i32, 0, 4096)):
    with kernel("k", grid=[2048, 1, 1], block=128) as (bx, by, bz):
        if bx // m >= 0 and bx % m >= 0:
            A[bx // m + bx % m] = 1.0
#> ir(1, level="flat", target="mp_31", after="simplify")
#> def f(A: tensor(f32, [4096]), *, m: dim(i32, 0, 4096)):
#>     with kernel("k", grid=[2048, 1, 1], block=128) as (bx, by, bz):
#>         A[tdiv(bx, m) + tmod(bx, m)] = 1.0
