# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64]), B: tensor(f16, [8, 8])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        x = 1 + atomic_add(A[0], 1.0)
#> error[ir-effect]: `atomic_add` has a side effect and cannot be part of an expression
#>   --> fail_effect.py, line 5
#>   5 |         x = 1 + atomic_add(A[0], 1.0)
#>     |                 ^^^^^^^^^^
#> help: assign its result to a name on a separate line: `x = ...`
