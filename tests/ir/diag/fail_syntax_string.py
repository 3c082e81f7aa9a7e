# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        x = '\xg'
#> error[syntax-string]: this escape is not a valid character
#>   --> fail_syntax_string.py, line 5
#>   5 |         x = '\xg'
#>     |              ^^
#> help: use the escapes and prefixes of Python; r"..." has no escapes
