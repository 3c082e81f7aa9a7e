# test: passes run=select_instructions
# A scan becomes loops that run along the scanned dimension.
ir(1, level="tile", target="mp_31")
def f(A: tensor(f32, [64, 8])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = shared(f32, [64, 8])
        scan(s, s, op="sum", dim=1)
#> ir(1, level="tile", target="mp_31", after="select_instructions")
#> def f(A: tensor(f32, [64, 8])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         s = shared(f32, [64, 8])
#>         for i in parallel(64):
#>             for k_1 in serial(1, 8):
#>                 s[i, k_1] = s[i, k_1 - 1] + s[i, k_1]
