# test: passes run=select_instructions,schedule_pipelines,infer_layouts
# Fragments are held as the instruction has them, or the view of them in which it sums; other views see whole elements.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 32]), C: tensor(f32, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f16, [64, 32])
        m = fragment(f32, [4096])
        c = view(m, f32, [64, 64])
        n = fragment(f32, [64, 64])
        pairs = view(n, f64, [64, 32])
        fill(m, 0.0)
        copy(A, a)
        gemm(a, a, c, tB=True, clear=False)
        gemm(a, a, n, tB=True, clear=True)
        fill(pairs, 0.0)
        copy(c, C)
#> ir(1, level="tile", target="sm_90a", after="infer_layouts", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 32]), C: tensor(f32, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         a = shared(f16, [64, 32], lay=[[a(64, 32)], [a(32, 1)]], swz=(16, 128, 3))
#>         m = fragment(f32, [4096], lay=[[t(4, 32), r(2, 2), t(8, 4), r(8, 4), t(4, 1), r(2, 1)]])
#>         c = view(m, f32, [64, 64])
#>         n = fragment(f32, [64, 64], lay=[[t(4, 32), r(2, 2), t(8, 4)], [r(8, 4), t(4, 1), r(2, 1)]])
#>         pairs = view(n, f64, [64, 32])
#>         fill(m, 0.0, vec=2, lay=[[t(4, 32), r(2, 2), t(8, 4), r(8, 4), t(4, 1), r(2, 1)]])
#>         copy(A, a, by="simt", vec=8, lay=[[r(2, 8), t(32, 4)], [t(4, 1), r(8, 1)]])
#>         gemm(a, a, c, tB=True, clear=False, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
#>         gemm(a, a, n, tB=True, clear=True, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
#>         fill(pairs, 0.0, vec=1, lay=[[t(4, 32), r(2, 1), t(8, 4)], [r(8, 2), t(4, 1)]])
#>         copy(c, C, by="simt", vec=2, lay=[[t(4, 32), r(2, 2), t(8, 4)], [r(8, 4), t(4, 1), r(2, 1)]])
