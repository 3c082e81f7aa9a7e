# test: passes run=select_instructions
# Without the machine's units: fused multiply-add in every thread, whatever matrix units the target has.
ir(1, level="tile", target="mp_31", configs={"tilelab.hardware_units": False})
def f(A: tensor(f16, [32, 32])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f16, [32, 32])
        c = fragment(f32, [32, 32])
        gemm(a, a, c, tB=True, clear=True)
#> ir(1, level="tile", target="mp_31", after="select_instructions", configs={"tilelab.hardware_units": False})
#> def f(A: tensor(f16, [32, 32])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         a = shared(f16, [32, 32])
#>         c = fragment(f32, [32, 32])
#>         gemm(a, a, c, tB=True, clear=True, by="fma")
