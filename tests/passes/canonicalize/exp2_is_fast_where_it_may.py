# test: passes run=canonicalize
# tl.enable_fast_math: the unit for exp2 of f32.
ir(1, level="tile", target="sm_90a", configs={"tl.enable_fast_math": True})
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64) as (bx, by, bz):
        for i in parallel(64):
            A[i] = exp2(A[i])
#> ir(1, level="tile", target="sm_90a", after="canonicalize", configs={"tl.enable_fast_math": True})
#> def f(A: tensor(f32, [64])):
#>     with kernel("k", grid=[1, 1, 1], block=64) as (bx, by, bz):
#>         for i in parallel(64):
#>             A[i] = fast_exp2(A[i])
