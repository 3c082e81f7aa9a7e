# test: passes run=canonicalize
ir(1, level="tile", target="sm_80")
def f(P: tensor(i64, [4], pointers=True), B: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64) as (bx, by, bz):
        A_address = P[0]
        A = tensor(f32, [64], address=A_address)
        C_address = P[1]
        C = tensor(f32, [64], address=C_address)
        copy(C, B)
#> ir(1, level="tile", target="sm_80", after="canonicalize")
#> def f(P: tensor(i64, [4], pointers=True), B: tensor(f32, [64])):
#>     with kernel("k", grid=[1, 1, 1], block=64) as (bx, by, bz):
#>         A_address = P[0]
#>         C_address = P[1]
#>         C = tensor(f32, [64], address=C_address)
#>         copy(C, B)
