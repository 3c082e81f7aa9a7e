# test: passes run=select_instructions
# Slots begin at whole periods of the swizzle, with space between them where they are smaller.
ir(1, level="tile", target="mp_31", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f16, [3, 64, 16])
        b = shared(f16, [3, 16, 64])
        c = fragment(f32, [64, 64])
        for k in serial(12):
            gemm(a[k % 3, 0:64, 0:16], b[k % 3, 0:16, 0:64], c, clear=k == 0)
#> ir(1, level="tile", target="mp_31", after="select_instructions", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         a = shared(f16, [3, 64, 16], lay=[[a(3, 2048)], [a(64, 16)], [a(16, 1)]], swz=(16, 256, 15))
#>         b = shared(f16, [3, 16, 64], lay=[[a(3, 1024)], [a(16, 64)], [a(64, 1)]], swz=(32, 256, 7))
#>         c = fragment(f32, [64, 64])
#>         for k in serial(12):
#>             gemm(a[k % 3], b[k % 3], c, clear=k == 0, by="sqmma", inst=[64, 64, 16], warps=[4, 1])
