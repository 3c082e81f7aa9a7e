# test: passes run=canonicalize
# Contraction happens here and nowhere else.
ir(1, level="tile", target="mp_31")
def f(A: tensor(f32, [128])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        for i in parallel(128):
            A[i] = A[i] * 2.0 + 1.0
#> ir(1, level="tile", target="mp_31", after="canonicalize")
#> def f(A: tensor(f32, [128])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         for i in parallel(128):
#>             A[i] = fma(A[i], 2.0, 1.0)
