# test: passes run=infer_layouts
# The index of the sum's row has a condition on j that always holds: adjacent columns are one sum of two elements.
ir(1, level="tile", target="sm_90a", after="schedule_pipelines")
def f(A: tensor(f32, [32, 64]), n: i32):
    with kernel("k", grid=[1, 1, 1], block=32) as (bx, by, bz):
        x = fragment(f32, [32, 64])
        fill(x, 0.0)
        for i, j in parallel(32, 64):
            atomic_add(A[i if i < n and (j >= 0 and j < 64) else 32, j], x[i, j], order="relaxed", type=f32)
#> ir(1, level="tile", target="sm_90a", after="infer_layouts")
#> def f(A: tensor(f32, [32, 64]), n: i32):
#>     with kernel("k", grid=[1, 1, 1], block=32) as (bx, by, bz):
#>         x = fragment(f32, [32, 64], lay=[[r(16, 4), t(2, 16)], [t(16, 1), r(4, 1)]])
#>         fill(x, 0.0, vec=4, lay=[[r(16, 4), t(2, 16)], [t(16, 1), r(4, 1)]])
#>         for i, j in parallel(32, 64, lay=[[r(16, 4), t(2, 16)], [t(16, 1), r(4, 1)]], vec=4):
#>             atomic_add(A[i if i < n and (j >= 0 and j < 64) else 32, j], x[i, j], order="relaxed", type=f32)
