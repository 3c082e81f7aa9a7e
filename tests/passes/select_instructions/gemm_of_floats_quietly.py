# test: passes run=select_instructions
# No matrix instruction takes them; a program that did not ask for one hears nothing.
ir(1, level="tile", target="mp_31")
def f(A: tensor(f32, [32, 32])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f32, [32, 32])
        c = fragment(f32, [32, 32])
        gemm(a, a, c, tB=True, clear=True)
#> ir(1, level="tile", target="mp_31", after="select_instructions")
#> def f(A: tensor(f32, [32, 32])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         a = shared(f32, [32, 32])
#>         c = fragment(f32, [32, 32])
#>         gemm(a, a, c, tB=True, clear=True, by="fma")
