# test: passes run=infer_layouts
# The loop runs over threads and registers; expressions lead back from them to the indices.
ir(1, level="tile", target="mp_31", after="schedule_pipelines")
def f(A: tensor(f32, [32, 32]), B: tensor(f32, [6, 40])):
    with kernel("k", grid=[1, 1, 1], block=64) as (bx, by, bz):
        x = fragment(f32, [32, 32], lay=[[t(32, 1), r(32, 1)]], where=lambda i, j: [(i ^ j) * 32 + i])
        y = fragment(f32, [6, 40], lay=[[t(40, 1), r(6, 1)]], where=lambda i, j: [(j + i * 7) % 40 * 6 + i])
        copy(A, x, by="simt")
        copy(B, y, by="simt")
        for i, j in parallel(32, 32):
            A[i, j] = x[i, j] * 2.0
        for i, j in parallel(6, 40):
            B[i, j] = y[i, j] * 2.0
#> ir(1, level="tile", target="mp_31", after="infer_layouts")
#> def f(A: tensor(f32, [32, 32]), B: tensor(f32, [6, 40])):
#>     with kernel("k", grid=[1, 1, 1], block=64) as (bx, by, bz):
#>         x = fragment(f32, [1024], lay=[[t(32, 1), r(32, 1)]])
#>         y = fragment(f32, [240], lay=[[t(40, 1), r(6, 1)]])
#>         for n in parallel(1024, lay=[[t(32, 1), r(32, 1)]], vec=1):
#>             x[n] = A[n % 32, (n & 992) // 32 ^ n & 31]
#>         for n_1 in parallel(240, lay=[[t(40, 1), r(6, 1)]], vec=1):
#>             y[n_1] = B[n_1 % 6, (n_1 // 6 + n_1 % 6 * 33) % 40]
#>         for n_2 in parallel(1024, lay=[[t(32, 1), r(32, 1)]], vec=1):
#>             A[n_2 % 32, (n_2 & 992) // 32 ^ n_2 & 31] = x[n_2] * 2.0
#>         for n_3 in parallel(240, lay=[[t(40, 1), r(6, 1)]], vec=1):
#>             B[n_3 % 6, (n_3 // 6 + n_3 % 6 * 33) % 40] = y[n_3] * 2.0
