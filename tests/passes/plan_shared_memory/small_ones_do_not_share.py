# test: passes run=plan_shared_memory
# At most a quarter of the arena: sharing would only cost barriers.
ir(1, level="tile", target="mp_31")
def f(A: tensor(f32, [1024])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f32, [1024])
        copy(A, a, by="simt")
        copy(a, A, by="simt")
        b = shared(f32, [1024])
        copy(A, b, by="simt")
        copy(b, A, by="simt")
#> ir(1, level="tile", target="mp_31", after="plan_shared_memory")
#> def f(A: tensor(f32, [1024])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=8192) as (bx, by, bz):
#>         a = shared(f32, [1024], at=0)
#>         copy(A, a, by="simt")
#>         copy(a, A, by="simt")
#>         b = shared(f32, [1024], at=4096)
#>         copy(A, b, by="simt")
#>         copy(b, A, by="simt")
