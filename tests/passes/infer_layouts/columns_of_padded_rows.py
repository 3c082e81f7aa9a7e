# test: passes run=infer_layouts
# No swizzle where a user has padded the rows. Eight adjacent lanes in a column of `s` hit distinct banks, four in
# one of `t` hit one four times: that store is narrow.
ir(1, level="tile", target="mp_31", after="schedule_pipelines")
def f(A: tensor(f16, [64, 64]), B: tensor(f16, [64, 64]), C: tensor(f32, [128, 64]), D: tensor(f32, [64, 128])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = shared(f16, [64, 65])
        t = shared(f32, [128, 65])
        for i, j in parallel(64, 64):
            s[i, j] = A[i, j]
        for i, j in parallel(64, 64):
            B[i, j] = s[j, i]
        for i, j in parallel(128, 64):
            t[i, j] = C[i, j]
        for i, j in parallel(64, 128):
            D[i, j] = t[j, i]
#> ir(1, level="tile", target="mp_31", after="infer_layouts")
#> def f(A: tensor(f16, [64, 64]), B: tensor(f16, [64, 64]), C: tensor(f32, [128, 64]), D: tensor(f32, [64, 128])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         s = shared(f16, [64, 65], lay=[[a(64, 65)], [a(65, 1)]])
#>         t = shared(f32, [128, 65], lay=[[a(128, 65)], [a(65, 1)]])
#>         for i, j in parallel(64, 64, lay=[[r(32, 1), t(2, 64)], [t(64, 1)]], vec=1):
#>             s[i, j] = A[i, j]
#>         for i, j in parallel(64, 64, lay=[[r(4, 8), t(16, 8)], [t(8, 1), r(8, 1)]], vec=8):
#>             B[i, j] = s[j, i]
#>         for i, j in parallel(128, 64, lay=[[r(64, 1), t(2, 64)], [t(64, 1)]], vec=1):
#>             t[i, j] = C[i, j]
#>         for i, j in parallel(64, 128, lay=[[r(64, 1)], [t(128, 1)]], vec=1):
#>             D[i, j] = t[j, i]
