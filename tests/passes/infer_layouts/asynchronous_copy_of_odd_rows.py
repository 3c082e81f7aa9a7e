# test: passes run=infer_layouts
# An edge cuts what a thread could copy at once: loads and stores.
ir(1, level="tile", target="sm_80", after="schedule_pipelines")
def f(A: tensor(f16, [16, N]), *, N: dim(i32, 0, 2147418112)):
    with kernel("k", grid=[1, 1, 1], block=64) as (bx, by, bz):
        s = shared(f16, [16, 64])
        copy(A[0:16, 0:64], s, by="async")
#> ir(1, level="tile", target="sm_80", after="infer_layouts")
#> def f(A: tensor(f16, [16, N]), *, N: dim(i32, 0, 2147418112)):
#>     with kernel("k", grid=[1, 1, 1], block=64) as (bx, by, bz):
#>         s = shared(f16, [16, 64], lay=[[a(16, 64)], [a(64, 1)]])
#>         copy(A[0:16, 0:64], s, by="simt", vec=1, lay=[[r(16, 1)], [t(64, 1)]])
