# test: passes run=infer_layouts
# Loop, copy and fragment have one map: nothing is redistributed.
ir(1, level="tile", target="mp_31")
def f(A: tensor(f32, [1024]), B: tensor(f32, [1024])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        x = fragment(f32, [1024])
        copy(A, x, by="simt")
        for i in parallel(1024):
            B[i] = x[i] + 1.0
#> ir(1, level="tile", target="mp_31", after="infer_layouts")
#> def f(A: tensor(f32, [1024]), B: tensor(f32, [1024])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         x = fragment(f32, [1024], lay=[[r(2, 4), t(128, 1), r(4, 1)]])
#>         copy(A, x, by="simt", vec=4, lay=[[r(2, 4), t(128, 1), r(4, 1)]])
#>         for i in parallel(1024, lay=[[r(2, 4), t(128, 1), r(4, 1)]], vec=4):
#>             B[i] = x[i] + 1.0
