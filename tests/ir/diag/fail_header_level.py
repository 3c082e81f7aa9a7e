# test: diag
ir(1, level="warp")
def f(A: tensor(f32, [64])):
    pass
#> error[ir-word]: `warp` is not one of tile, thread, flat
#>   --> fail_header_level.py, line 2
#>   2 | ir(1, level="warp")
#>     |             ^^^^^^
#> help: write one of these words
