# test: passes run=infer_layouts
# Each thread has all rows of x, which the serial loop indexes; within a row it has vectors, as wide as memory allows.
ir(1, level="tile", target="sm_90a", after="schedule_pipelines")
def f(A: tensor(f32, [4, 512]), B: tensor(f32, [512])):
    with kernel("k", grid=[1, 1, 1], block=64) as (bx, by, bz):
        x = fragment(f32, [4, 512])
        y = fragment(f32, [512])
        copy(A[0:4, 0:512], x, by="simt")
        fill(y, 0.0)
        for k in serial(4):
            for i in parallel(512):
                y[i] = y[i] + x[k, i]
        copy(y, B[0:512], by="simt")
#> ir(1, level="tile", target="sm_90a", after="infer_layouts")
#> def f(A: tensor(f32, [4, 512]), B: tensor(f32, [512])):
#>     with kernel("k", grid=[1, 1, 1], block=64) as (bx, by, bz):
#>         x = fragment(f32, [4, 512], lay=[[r(4, 4)], [r(2, 16), t(64, 1), r(4, 1)]])
#>         y = fragment(f32, [512], lay=[[r(2, 4), t(64, 1), r(4, 1)]])
#>         copy(A, x, by="simt", vec=4, lay=[[r(4, 4)], [r(2, 16), t(64, 1), r(4, 1)]])
#>         fill(y, 0.0, vec=4, lay=[[r(2, 4), t(64, 1), r(4, 1)]])
#>         for k in serial(4):
#>             for i in parallel(512, lay=[[r(2, 4), t(64, 1), r(4, 1)]], vec=4):
#>                 y[i] = y[i] + x[k, i]
#>         copy(y, B, by="simt", vec=4, lay=[[r(2, 4), t(64, 1), r(4, 1)]])
