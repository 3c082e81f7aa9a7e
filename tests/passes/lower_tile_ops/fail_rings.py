# test: passes run=lower_tile_ops
# Rings that are not lowered, and fragments that are not distributed over threads.
ir(1, level="tile", target="mp_31", after="insert_barriers")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=1024) as bx:
        lags = ring(2, fill="arrive", producer="p", consumer="c", lag=1)
        split = ring(2, fill="group", producer="p", consumer="c")
        empty = ring(2, fill="tx", producer="p", consumer="c")
#> error[pass-not-built]: lower_tile_ops cannot lower a ring with a lag yet
#>   --> fail_rings.py, line 6
#>   6 |         lags = ring(2, fill="arrive", producer="p", consumer="c", lag=1)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write the text at the next lower level, or use another form of the operation
#>
#> error[pass-not-built]: lower_tile_ops cannot lower a ring of groups between two roles yet
#>   --> fail_rings.py, line 7
#>   7 |         split = ring(2, fill="group", producer="p", consumer="c")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write the text at the next lower level, or use another form of the operation
#>
#> error[pass-not-built]: lower_tile_ops cannot lower a ring of TMA copies without a byte count yet
#>   --> fail_rings.py, line 8
#>   8 |         empty = ring(2, fill="tx", producer="p", consumer="c")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write the text at the next lower level, or use another form of the operation
