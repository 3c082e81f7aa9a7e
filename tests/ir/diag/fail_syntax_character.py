# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        x = 1 ? 2
#> error[syntax-character]: unexpected character `?`
#>   --> fail_syntax_character.py, line 5
#>   5 |         x = 1 ? 2
#>     |               ^
#> help: remove it, or put it into a string or a comment
