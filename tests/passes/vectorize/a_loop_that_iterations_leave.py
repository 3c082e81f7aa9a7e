# test: passes run=vectorize
# A break ends all later elements: the loop is neither split nor a vector.
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [32]), B: tensor(f32, [32])):
    with kernel("k", grid=[1, 1, 1], block=32) as (bx, by, bz):
        for v in vec(32):
            if A[v] < 0.0:
                break
            B[v] = A[v]
#> ir(1, level="thread", target="mp_31", after="vectorize")
#> def f(A: tensor(f32, [32]), B: tensor(f32, [32])):
#>     with kernel("k", grid=[1, 1, 1], block=32) as (bx, by, bz):
#>         for v in vec(32):
#>             if A[v] < 0.0:
#>                 break
#>             B[v] = A[v]
