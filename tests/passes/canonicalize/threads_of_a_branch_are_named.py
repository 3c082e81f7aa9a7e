# test: passes run=canonicalize
# Around a tile operation a condition is a range of threads.
ir(1, level="tile", target="mp_31")
def f(A: tensor(f32, [128])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = shared(f32, [128])
        if warp == 1 and bx > 0:
            copy(A, s)
#> ir(1, level="tile", target="mp_31", after="canonicalize")
#> def f(A: tensor(f32, [128])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         s = shared(f32, [128])
#>         if bx > 0:
#>             if tid >= 32 and tid < 64:
#>                 copy(A, s)
