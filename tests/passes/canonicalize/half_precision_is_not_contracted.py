# test: passes run=canonicalize
# Only f32 and f64 have an fma on this target.
ir(1, level="tile", target="mp_31")
def f(A: tensor(f16, [128]), B: tensor(i32, [128])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        for i in parallel(128):
            A[i] = A[i] * A[i] + A[i]
            B[i] = B[i] * B[i] + B[i]
#> ir(1, level="tile", target="mp_31", after="canonicalize")
#> def f(A: tensor(f16, [128]), B: tensor(i32, [128])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         for i in parallel(128):
#>             A[i] = A[i] * A[i] + A[i]
#>             B[i] = B[i] * B[i] + B[i]
