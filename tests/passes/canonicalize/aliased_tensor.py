# test: passes run=canonicalize
# That a tensor may share memory with another is a property of the parameter.
ir(1, level="tile", target="sm_80")
def f(A: tensor(f32, [64], aliased=True), B: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        copy(A, B)
#> ir(1, level="tile", target="sm_80", after="canonicalize")
#> def f(A: tensor(f32, [64], aliased=True), B: tensor(f32, [64])):
#>     with kernel("k", grid=[1, 1, 1], block=64) as bx:
#>         copy(A, B)
