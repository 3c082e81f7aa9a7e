# test: passes run=select_instructions
# Rows for each group: this minimizes operand reads, and a row of C belongs to one group.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=256) as (bx, by, bz):
        a = shared(f16, [128, 64])
        b = shared(f16, [64, 256])
        c = fragment(f32, [128, 256])
        gemm(a, b, c, clear=True)
#> ir(1, level="tile", target="sm_90a", after="select_instructions", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=256) as (bx, by, bz):
#>         a = shared(f16, [128, 64], lay=[[a(128, 64)], [a(64, 1)]], swz=(16, 128, 7))
#>         b = shared(f16, [64, 256], lay=[[a(64, 64)], [a(4, 4096), a(64, 1)]], swz=(16, 128, 7))
#>         c = fragment(f32, [128, 256])
#>         gemm(a, b, c, clear=True, by="wgmma", inst=[64, 256, 16], warps=[8, 1])
