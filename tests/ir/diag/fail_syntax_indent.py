# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        x = 1
            y = 2
#> error[syntax-indent]: unexpected indentation: no block starts before this line
#>   --> fail_syntax_indent.py, line 6
#>   6 |             y = 2
#>     |             ^
#> help: indent all statements of a block equally, with spaces
