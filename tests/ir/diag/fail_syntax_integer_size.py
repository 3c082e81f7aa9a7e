# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        x = 999999999999999999999999999999999999999999999
#> error[syntax-integer-size]: this integer needs more than 128 bits
#>   --> fail_syntax_integer_size.py, line 5
#>   5 |         x = 999999999999999999999999999999999999999999999
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write a smaller number: no type has more than 64 bits
