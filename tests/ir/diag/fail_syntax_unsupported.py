# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        class x: pass
#> error[syntax-unsupported]: `class` is not supported here
#>   --> fail_syntax_unsupported.py, line 5
#>   5 |         class x: pass
#>     |         ^^^^^
#> help: write it with functions, with, for, while, if and assignments
