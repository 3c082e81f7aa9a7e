# test: passes run=infer_layouts
# The widest access: 8 f16 a thread, neighbours next to each other.
ir(1, level="tile", target="mp_31")
def f(A: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = shared(f16, [64, 64])
        copy(A, s, by="simt")
#> ir(1, level="tile", target="mp_31", after="infer_layouts")
#> def f(A: tensor(f16, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         s = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]])
#>         copy(A, s, by="simt", vec=8, lay=[[r(4, 8), t(16, 8)], [t(8, 1), r(8, 1)]])
