# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64]), B: tensor(f16, [8, 8])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        x = 1
        x = 2
#> error[ir-bound-twice]: `x` is already bound
#>   --> fail_bound_twice.py, line 6
#>   5 |         x = 1
#>     |         ~~~~~ bound here
#>   6 |         x = 2
#>     |         ^^^^^
#> help: declare a variable: `x = var(i32, 0)`
