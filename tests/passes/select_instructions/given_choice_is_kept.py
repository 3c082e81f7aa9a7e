# test: passes run=select_instructions
# The choice in the text is kept.
ir(1, level="tile", target="mp_31")
def f(A: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = shared(f16, [64, 64])
        copy(A, s, by="async")
#> ir(1, level="tile", target="mp_31", after="select_instructions")
#> def f(A: tensor(f16, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         s = shared(f16, [64, 64])
#>         copy(A, s, by="async")
