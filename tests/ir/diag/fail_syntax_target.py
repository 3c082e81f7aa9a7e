# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        1 = x
#> error[syntax-target]: cannot assign to this integer
#>   --> fail_syntax_target.py, line 5
#>   5 |         1 = x
#>     |         ^
#> help: put a name, an attribute or an element on the left
