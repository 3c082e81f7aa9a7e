# test: passes run=infer_layouts
# Buffers that never live together take the memory of the larger one, so that the second has room for the gap of its swizzle.
ir(1, level="tile", target="sm_80", after="schedule_pipelines")
def f(A: tensor(f16, [512, 128]), B: tensor(f16, [128, 512])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = shared(f16, [512, 128])
        t = shared(f16, [384, 128])
        copy(A, s, by="simt")
        for i, j in parallel(512, 128):
            A[i, j] = s[i, j]
        copy(A[0:384, 0:128], t, by="simt")
        for i, j in parallel(128, 384):
            B[i, j] = t[j, i]
#> ir(1, level="tile", target="sm_80", after="infer_layouts")
#> def f(A: tensor(f16, [512, 128]), B: tensor(f16, [128, 512])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         s = shared(f16, [512, 128], lay=[[a(512, 128)], [a(128, 1)]])
#>         t = shared(f16, [384, 128], lay=[[a(384, 128)], [a(128, 1)]], swz=(8, 512, 15))
#>         copy(A, s, by="simt", vec=8, lay=[[r(64, 8), t(8, 16)], [t(16, 1), r(8, 1)]])
#>         for i, j in parallel(512, 128, lay=[[r(64, 8), t(8, 16)], [t(16, 1), r(8, 1)]], vec=8):
#>             A[i, j] = s[i, j]
#>         copy(A[0:384], t, by="simt", vec=4, lay=[[r(96, 4), t(4, 32)], [t(32, 1), r(4, 1)]])
#>         for i, j in parallel(128, 384, lay=[[r(128, 3)], [r(3, 1), t(128, 1)]], vec=1):
#>             B[i, j] = t[j, i]
