# test: passes run=infer_layouts
ir(1, level="tile", target="mp_31", after="schedule_pipelines", configs={"tilelab.bank_swizzles": False})
def f(A: tensor(f16, [64, 64]), B: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = shared(f16, [64, 64])
        copy(A, s, by="simt")
        for i, j in parallel(64, 64):
            B[i, j] = s[j, i]
#> ir(1, level="tile", target="mp_31", after="infer_layouts", configs={"tilelab.bank_swizzles": False})
#> def f(A: tensor(f16, [64, 64]), B: tensor(f16, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         s = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]])
#>         copy(A, s, by="simt", vec=8, lay=[[r(4, 8), t(16, 8)], [t(8, 1), r(8, 1)]])
#>         for i, j in parallel(64, 64, lay=[[r(32, 1), t(2, 64)], [t(64, 1)]], vec=1):
#>             B[i, j] = s[j, i]
