# test: passes run=infer_layouts
# The result is in every thread of the row's lanes, so that they need not exchange it again.
ir(1, level="tile", target="mp_31")
def f(A: tensor(f32, [8, 128])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        x = fragment(f32, [8, 128])
        m = fragment(f32, [8])
        copy(A, x, by="simt")
        reduce(x, m, dims=[1], op="max", clear=True)
#> ir(1, level="tile", target="mp_31", after="infer_layouts")
#> def f(A: tensor(f32, [8, 128])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         x = fragment(f32, [8, 128], lay=[[r(2, 4), t(4, 32)], [t(32, 1), r(4, 1)]])
#>         m = fragment(f32, [8], lay=[[r(2, 1), t(4, 32)]], rep=[t(32, 1)])
#>         copy(A, x, by="simt", vec=4, lay=[[r(2, 4), t(4, 32)], [t(32, 1), r(4, 1)]])
#>         reduce(x, m, dims=[1], op="max", clear=True, order=["regs", "shfl 16 8 4 2 1"])
