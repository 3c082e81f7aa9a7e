# test: passes run=plan_shared_memory
# No barrier separates the statements of a T.Parallel: another iteration may still read what one has read.
ir(1, level="tile", target="mp_31", configs={"tl.enable_aggressive_shared_memory_merge": True})
def f(A: tensor(f32, [64, 128])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f32, [64, 128])
        b = shared(f32, [64, 128])
        c = shared(f32, [64, 128])
        copy(A, a, by="simt")
        for i, j in parallel(64, 128):
            x = a[i, j]
            b[i, j] = x * 2.0
        for i, j in parallel(64, 128):
            c[i, j] = b[i, j]
        copy(c, A, by="simt")
#> ir(1, level="tile", target="mp_31", after="plan_shared_memory", configs={"tl.enable_aggressive_shared_memory_merge": True})
#> def f(A: tensor(f32, [64, 128])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=65536) as (bx, by, bz):
#>         a = shared(f32, [64, 128], at=0)
#>         b = shared(f32, [64, 128], at=32768)
#>         c = shared(f32, [64, 128], at=0)
#>         copy(A, a, by="simt")
#>         for i, j in parallel(64, 128):
#>             x = a[i, j]
#>             b[i, j] = x * 2.0
#>         for i, j in parallel(64, 128):
#>             c[i, j] = b[i, j]
#>         copy(c, A, by="simt")
