# test: passes run=vectorize
# All inside: a vector; else one by one.
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [N]), *, N: dim(i32, 0, 4096)):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        for v in unroll(4, vec=4):
            if bx * 512 + tid * 4 + v < N:
                A[bx * 512 + tid * 4 + v] = 0.0
#> ir(1, level="thread", target="mp_31", after="vectorize")
#> def f(A: tensor(f32, [N]), *, N: dim(i32, 0, 4096)):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         if bx * 512 + tid * 4 + 4 <= N:
#>             A[bx * 512 + tid * 4:bx * 512 + tid * 4 + 4] = broadcast(0.0, 4)
#>         else:
#>             for v in unroll(4):
#>                 if bx * 512 + tid * 4 + v < N:
#>                     A[bx * 512 + tid * 4 + v] = 0.0
