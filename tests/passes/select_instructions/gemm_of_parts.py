# test: passes run=select_instructions
# Parts have the layout of the whole; the chunk that both matmuls can read is chosen.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f16, [128, 96])
        b = shared(f16, [96, 128])
        c = fragment(f32, [64, 64])
        for k in serial(3):
            gemm(a[64:128, k * 32:k * 32 + 32], b[k * 32:k * 32 + 32, 64:128], c)
        gemm(b[0:64, 0:64], b[32:96, 64:128], c, tA=True)
#> ir(1, level="tile", target="sm_90a", after="select_instructions", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         a = shared(f16, [128, 96], lay=[[a(128, 32)], [a(3, 4096), a(32, 1)]], swz=(16, 128, 3))
#>         b = shared(f16, [96, 128], lay=[[a(96, 64)], [a(2, 6144), a(64, 1)]], swz=(16, 128, 7))
#>         c = fragment(f32, [64, 64])
#>         for k in serial(3):
#>             gemm(a[64:128, k * 32:k * 32 + 32], b[k * 32:k * 32 + 32, 64:128], c, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
#>         gemm(b[0:64, 0:64], b[32:96, 64:128], c, tA=True, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
