# test: passes run=infer_layouts
# Rows of `s` are written and its columns are read: pieces of 16 bytes are swizzled, and eight lanes of a column are
# adjacent for one store. `t` is read through a view, `u` is annotated, `v` is read by rows alone: their layouts do not change.
ir(1, level="tile", target="mp_31", after="schedule_pipelines")
def f(A: tensor(f16, [64, 64]), B: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = shared(f16, [64, 64])
        t = shared(f16, [64, 64])
        t2 = view(t, f16, [64, 64])
        u = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]])
        v = shared(f16, [64, 64])
        copy(A, s, by="simt")
        copy(A, t, by="simt")
        copy(A, u, by="simt")
        copy(A, v, by="simt")
        for i, j in parallel(64, 64):
            B[i, j] = s[j, i]
        for i, j in parallel(64, 64):
            B[i, j] = t2[j, i]
        for i, j in parallel(64, 64):
            B[i, j] = u[j, i] + v[i, j]
#> ir(1, level="tile", target="mp_31", after="infer_layouts")
#> def f(A: tensor(f16, [64, 64]), B: tensor(f16, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         s = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 1024, 7))
#>         t = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]])
#>         t2 = view(t, f16, [64, 64])
#>         u = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]])
#>         v = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]])
#>         copy(A, s, by="simt", vec=8, lay=[[r(4, 8), t(16, 8)], [t(8, 1), r(8, 1)]])
#>         copy(A, t, by="simt", vec=8, lay=[[r(4, 8), t(16, 8)], [t(8, 1), r(8, 1)]])
#>         copy(A, u, by="simt", vec=8, lay=[[r(4, 8), t(16, 8)], [t(8, 1), r(8, 1)]])
#>         copy(A, v, by="simt", vec=8, lay=[[r(4, 8), t(16, 8)], [t(8, 1), r(8, 1)]])
#>         for i, j in parallel(64, 64, lay=[[r(4, 8), t(16, 8)], [t(8, 1), r(8, 1)]], vec=8):
#>             B[i, j] = s[j, i]
#>         for i, j in parallel(64, 64, lay=[[r(4, 8), t(16, 8)], [t(8, 1), r(8, 1)]], vec=8):
#>             B[i, j] = t2[j, i]
#>         for i, j in parallel(64, 64, lay=[[r(4, 8), t(16, 8)], [t(8, 1), r(8, 1)]], vec=8):
#>             B[i, j] = u[j, i] + v[i, j]
