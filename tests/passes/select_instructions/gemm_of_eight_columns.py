# test: passes run=select_instructions
# Eight columns are enough for a warp; pairs of them are preferred.
ir(1, level="tile", target="sm_80", configs={"tilelab.hardware_units": True})
def f():
    with kernel("k", grid=[1, 1, 1], block=256) as (bx, by, bz):
        a = shared(f16, [16, 64])
        b = shared(f16, [64, 64])
        c = fragment(f32, [16, 64])
        gemm(a, b, c, tB=True, clear=False)
        d = shared(f16, [128, 64])
        e = fragment(f32, [16, 128])
        gemm(a, d, e, tB=True, clear=False)
#> ir(1, level="tile", target="sm_80", after="select_instructions", configs={"tilelab.hardware_units": True})
#> def f():
#>     with kernel("k", grid=[1, 1, 1], block=256) as (bx, by, bz):
#>         a = shared(f16, [16, 64], lay=[[a(16, 64)], [a(64, 1)]], swz=(16, 128, 7))
#>         b = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 128, 7))
#>         c = fragment(f32, [16, 64])
#>         gemm(a, b, c, tB=True, clear=False, by="mma", inst=[16, 8, 16], warps=[1, 8])
#>         d = shared(f16, [128, 64], lay=[[a(128, 64)], [a(64, 1)]], swz=(16, 128, 7))
#>         e = fragment(f32, [16, 128])
#>         gemm(a, d, e, tB=True, clear=False, by="mma", inst=[16, 8, 16], warps=[1, 8])
