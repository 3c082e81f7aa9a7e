# test: diag
ir(1, level="tile", target="mp_31")
def f():
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        x = shared(f32, [65536, 65536], where=lambda i, j: [i * 65536 + j])
#> error[ir-constant]: expected a map: this one has a shape that is larger than the memory of any block
#>   --> fail_where_of_a_large_shape.py, line 5
#>   5 |         x = shared(f32, [65536, 65536], where=lambda i, j: [i * 65536 + j])
#>     |                                               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write a literal number, word or list: attributes are constants
