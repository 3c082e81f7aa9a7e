# test: passes run=select_instructions
# force_async_copy goes before the engine.
ir(1, level="tile", target="mp_31", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 256])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        for k in pipelined(4, stages=2):
            copy(A[0:64, k * 64:k * 64 + 64], s, attrs={"force_async_copy": True})
            gemm(s, s, c, tB=True, clear=False)
#> ir(1, level="tile", target="mp_31", after="select_instructions", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 256])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         s = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 256, 15))
#>         c = fragment(f32, [64, 64])
#>         for k in pipelined(4, stages=2):
#>             copy(A[0:64, k * 64:k * 64 + 64], s, by="async", attrs={"force_async_copy": True})
#>             gemm(s, s, c, tB=True, clear=False, by="sqmma", inst=[64, 64, 64], warps=[4, 1])
