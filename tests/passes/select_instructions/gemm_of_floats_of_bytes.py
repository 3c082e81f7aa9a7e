# test: passes run=select_instructions
# Where wgmma has no shape, mma takes e4m3 and e5m2.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f():
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(e4m3, [32, 128])
        b = shared(e4m3, [128, 128])
        c = fragment(f32, [32, 128])
        gemm(a, b, c, tB=True, clear=False)
        d = shared(e5m2, [16, 64])
        e = shared(e5m2, [64, 64])
        g = fragment(f32, [16, 64])
        gemm(d, e, g, tB=True, clear=False)
#> ir(1, level="tile", target="sm_90a", after="select_instructions", configs={"tilelab.hardware_units": True})
#> def f():
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         a = shared(e4m3, [32, 128], lay=[[a(32, 128)], [a(128, 1)]], swz=(16, 128, 7))
#>         b = shared(e4m3, [128, 128], lay=[[a(128, 128)], [a(128, 1)]], swz=(16, 128, 7))
#>         c = fragment(f32, [32, 128])
#>         gemm(a, b, c, tB=True, clear=False, by="mma_f8", inst=[16, 8, 32], warps=[1, 4])
#>         d = shared(e5m2, [16, 64], lay=[[a(16, 64)], [a(64, 1)]], swz=(16, 128, 3))
#>         e = shared(e5m2, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 128, 3))
#>         g = fragment(f32, [16, 64])
#>         gemm(d, e, g, tB=True, clear=False, by="mma_f8", inst=[16, 8, 32], warps=[1, 4])
