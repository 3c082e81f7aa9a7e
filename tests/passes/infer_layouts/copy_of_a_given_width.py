# test: passes run=infer_layouts
# coalesced_width: elements of one access.
ir(1, level="tile", target="mp_31", after="schedule_pipelines")
def f(A: tensor(f16, [16, 64])):
    with kernel("k", grid=[1, 1, 1], block=64) as (bx, by, bz):
        s = shared(f16, [16, 64])
        copy(A, s, by="simt", attrs={"coalesced_width": 2})
#> ir(1, level="tile", target="mp_31", after="infer_layouts")
#> def f(A: tensor(f16, [16, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=64) as (bx, by, bz):
#>         s = shared(f16, [16, 64], lay=[[a(16, 64)], [a(64, 1)]])
#>         copy(A, s, by="simt", vec=2, lay=[[r(8, 2), t(2, 32)], [t(32, 1), r(2, 1)]], attrs={"coalesced_width": 2})
