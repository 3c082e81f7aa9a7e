# test: passes run=select_instructions
# The buffer keeps its rows: a view sees others, which chunks would cut.
ir(1, level="tile", target="mp_31", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f16, [64, 96])
        odd = view(a, f16, [128, 48])
        b = shared(f16, [96, 32])
        c = fragment(f32, [64, 32])
        gemm(a, b, c)
#> ir(1, level="tile", target="mp_31", after="select_instructions", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         a = shared(f16, [64, 96], lay=[[a(64, 96)], [a(96, 1)]])
#>         odd = view(a, f16, [128, 48])
#>         b = shared(f16, [96, 32], lay=[[a(96, 32)], [a(32, 1)]])
#>         c = fragment(f32, [64, 32])
#>         gemm(a, b, c, by="wmma", inst=[16, 16, 16], warps=[2, 2])
