# test: passes run=select_instructions
# A has another, annotated layout, which is kept: the instruction whose threads read operands accepts it.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f16, [64, 64], lay=[[a(64, 1)], [a(64, 64)]])
        b = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        gemm(a, b, c, clear=True)
#> ir(1, level="tile", target="sm_90a", after="select_instructions", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         a = shared(f16, [64, 64], lay=[[a(64, 1)], [a(64, 64)]])
#>         b = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 128, 7))
#>         c = fragment(f32, [64, 64])
#>         gemm(a, b, c, clear=True, by="mma", inst=[16, 8, 16], warps=[2, 2])
