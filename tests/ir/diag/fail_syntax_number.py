# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        x = 12ab
#> error[syntax-number]: `12ab` is not a valid number
#>   --> fail_syntax_number.py, line 5
#>   5 |         x = 12ab
#>     |             ^^^^
#> help: write a number as 12, 0x1f, 1.5 or 2e-3; start a name with a letter
