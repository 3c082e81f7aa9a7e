# test: passes run=select_instructions
# A view's matrix is contiguous in the buffer; another view does not split it.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f16, [4, 16, 64])
        rows = view(a, f16, [64, 64])
        flat = view(a, f16, [4096])
        raw = shared(u8, [8192])
        b = view(raw, f16, [64, 64])
        c = fragment(f32, [64, 64])
        gemm(rows, b, c, clear=True)
#> ir(1, level="tile", target="sm_90a", after="select_instructions", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         a = shared(f16, [4, 16, 64], lay=[[a(4, 1024)], [a(16, 64)], [a(64, 1)]], swz=(16, 128, 7))
#>         rows = view(a, f16, [64, 64])
#>         flat = view(a, f16, [4096])
#>         raw = shared(u8, [8192], lay=[[a(8192, 1)]], swz=(16, 128, 7))
#>         b = view(raw, f16, [64, 64])
#>         c = fragment(f32, [64, 64])
#>         gemm(rows, b, c, clear=True, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
