# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        x = = 1
#> error[syntax-unexpected]: expected an expression, found `=`
#>   --> fail_syntax_unexpected.py, line 5
#>   5 |         x = = 1
#>     |             ^
#> help: write what is expected, or remove what was found
