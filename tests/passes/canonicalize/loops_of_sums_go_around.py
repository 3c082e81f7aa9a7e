# test: passes run=canonicalize
# Operands that iterations share are then read once. Not where a bound is an iteration's own, where
# memory that others see is written, or where there is more than the loop.
ir(1, level="tile", target="mp_31")
def f(A: tensor(f32, [64, 8]), B: tensor(f32, [8, 32]), C: tensor(f32, [64, 32])):
    with kernel("k", grid=[1, 1, 1], block=64) as (bx, by, bz):
        c = fragment(f32, [64, 32])
        for i, j in parallel(64, 32):
            for k in serial(8):
                if A[i, k] > 0.0:
                    c[i, j] = c[i, j] + A[i, k] + B[k, j]
        for i, j in parallel(64, 32):
            for k in serial(0, j):
                c[i, j] = c[i, j] + A[i, 0]
        for i, j in parallel(64, 32):
            for k in serial(8):
                C[i, j] = C[i, j] + A[i, k]
        for i, j in parallel(64, 32):
            c[i, j] = 0.0
            for k in serial(8):
                c[i, j] = c[i, j] + A[i, k]
#> ir(1, level="tile", target="mp_31", after="canonicalize")
#> def f(A: tensor(f32, [64, 8]), B: tensor(f32, [8, 32]), C: tensor(f32, [64, 32])):
#>     with kernel("k", grid=[1, 1, 1], block=64) as (bx, by, bz):
#>         c = fragment(f32, [64, 32])
#>         for k in serial(8):
#>             for i, j in parallel(64, 32):
#>                 if A[i, k] > 0.0:
#>                     c[i, j] = c[i, j] + A[i, k] + B[k, j]
#>         for i, j in parallel(64, 32):
#>             for k in serial(j):
#>                 c[i, j] = c[i, j] + A[i, 0]
#>         for i, j in parallel(64, 32):
#>             for k in serial(8):
#>                 C[i, j] = C[i, j] + A[i, k]
#>         for i, j in parallel(64, 32):
#>             c[i, j] = 0.0
#>             for k in serial(8):
#>                 c[i, j] = c[i, j] + A[i, k]
