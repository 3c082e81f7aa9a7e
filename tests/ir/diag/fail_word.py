# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64]), B: tensor(f16, [8, 8])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        s = barrier([2], count=1, unit="thread")
#> error[ir-word]: `thread` is not one of lane, warp, group
#>   --> fail_word.py, line 5
#>   5 |         s = barrier([2], count=1, unit="thread")
#>     |                                        ^^^^^^^^
#> help: write one of these words
