# test: passes run=select_instructions
# N-major B is stored in chunks as wide as the instruction.
ir(1, level="tile", target="mp_31", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=256) as (bx, by, bz):
        a = shared(f16, [128, 64])
        b = shared(f16, [64, 128])
        c = fragment(f32, [128, 128])
        gemm(a, b, c, clear=True)
#> ir(1, level="tile", target="mp_31", after="select_instructions", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=256) as (bx, by, bz):
#>         a = shared(f16, [128, 64], lay=[[a(128, 64)], [a(64, 1)]], swz=(16, 256, 15))
#>         b = shared(f16, [64, 128], lay=[[a(64, 64)], [a(2, 4096), a(64, 1)]], swz=(32, 256, 7))
#>         c = fragment(f32, [128, 128])
#>         gemm(a, b, c, clear=True, by="sqmma", inst=[128, 64, 64], warps=[4, 2])
