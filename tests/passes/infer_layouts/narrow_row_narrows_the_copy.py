# test: passes run=infer_layouts
# Rows of 6 f32 are 24 bytes: only pairs are aligned in every row.
ir(1, level="tile", target="mp_31")
def f(A: tensor(f32, [64, 6])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = shared(f32, [64, 6])
        copy(A, s, by="simt")
#> ir(1, level="tile", target="mp_31", after="infer_layouts")
#> def f(A: tensor(f32, [64, 6])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         s = shared(f32, [64, 6], lay=[[a(64, 6)], [a(6, 1)]])
#>         copy(A, s, by="simt", vec=2, lay=[[r(2, 2), t(32, 3)], [t(3, 1), r(2, 1)]])
