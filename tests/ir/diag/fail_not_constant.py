# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64]), B: tensor(f16, [8, 8])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        x = local(f32, [8], at=tid)
        s = barrier([2], count=bx)
#> error[ir-constant]: expected a constant integer
#>   --> fail_not_constant.py, line 5
#>   5 |         x = local(f32, [8], at=tid)
#>     |                                ^^^
#> help: write a literal number, word or list: attributes are constants
#>
#> error[ir-constant]: expected a constant integer
#>   --> fail_not_constant.py, line 6
#>   6 |         s = barrier([2], count=bx)
#>     |                                ^^
#> help: write a literal number, word or list: attributes are constants
