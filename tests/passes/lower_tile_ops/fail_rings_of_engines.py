# test: passes run=lower_tile_ops
ir(1, level="tile", target="sm_80", after="insert_barriers")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=1024) as bx:
        r = ring(2, fill="store", bytes=0, producer="p", consumer="p")
#> error[pass-not-built]: lower_tile_ops cannot lower a ring of TMA copies for this target yet
#>   --> fail_rings_of_engines.py, line 5
#>   5 |         r = ring(2, fill="store", bytes=0, producer="p", consumer="p")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write the text at the next lower level, or use another form of the operation
