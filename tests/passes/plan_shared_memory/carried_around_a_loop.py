# test: passes run=plan_shared_memory
# `a` is read in every iteration: `b` can't take its bytes, though it is written later.
ir(1, level="tile", target="mp_31")
def f(A: tensor(f32, [8192])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f32, [8192])
        b = shared(f32, [8192])
        fill(a, 0.0)
        for i in serial(4):
            copy(A, b, by="simt")
            copy(b, A, by="simt")
            copy(a, A, by="simt")
#> ir(1, level="tile", target="mp_31", after="plan_shared_memory")
#> def f(A: tensor(f32, [8192])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=65536) as (bx, by, bz):
#>         a = shared(f32, [8192], at=0)
#>         b = shared(f32, [8192], at=32768)
#>         fill(a, 0.0)
#>         for i in serial(4):
#>             copy(A, b, by="simt")
#>             copy(b, A, by="simt")
#>             copy(a, A, by="simt")
