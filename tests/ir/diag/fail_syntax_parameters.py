# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        f(a=1, 2)
#> error[syntax-parameters]: a positional argument follows a keyword argument
#>   --> fail_syntax_parameters.py, line 5
#>   5 |         f(a=1, 2)
#>     |                ^
#> help: put positional ones first, then those by name; use each name once
