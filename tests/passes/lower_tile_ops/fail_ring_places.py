# test: passes run=lower_tile_ops
# Places where rings and fragments cannot be used: under a condition of threads, beside an engine, unmapped.
ir(1, level="tile", target="mp_31", after="insert_barriers")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=1024) as bx:
        r = ring(2, fill="arrive", producer="main", consumer="main")
        x = fragment(f32, [64], lay=[[t(64, 1)]])
        if tid < 64:
            u = ring_wait(r)
        fill(x[0:64], 0.0)
        copy(A[0:64], x[0:64], by="simt")
#> error[pass-not-built]: lower_tile_ops cannot lower an operation on a ring under a condition that depends on the thread yet
#>   --> fail_ring_places.py, line 9
#>   9 |             u = ring_wait(r)
#>     |             ^^^^^^^^^^^^^^^^
#> help: write the text at the next lower level, or use another form of the operation
#>
#> error[pass-not-built]: lower_tile_ops cannot lower a fill of a fragment without a layout yet
#>   --> fail_ring_places.py, line 10
#>  10 |         fill(x[0:64], 0.0)
#>     |         ^^^^^^^^^^^^^^^^^^
#> help: write the text at the next lower level, or use another form of the operation
#>
#> error[pass-not-built]: lower_tile_ops cannot lower a copy of a fragment without a layout yet
#>   --> fail_ring_places.py, line 11
#>  11 |         copy(A[0:64], x[0:64], by="simt")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write the text at the next lower level, or use another form of the operation
