# test: diag
ir(1, level="tile")
def f(A: tensor(f32, [64]):
    pass
#> error[syntax-unclosed]: this `(` is never closed
#>   --> fail_syntax_bracket.py, line 3
#>   3 | def f(A: tensor(f32, [64]):
#>     |      ^
#> help: close it, or remove it
