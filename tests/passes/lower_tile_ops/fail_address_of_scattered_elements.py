# test: passes run=lower_tile_ops
# A layout given by expressions; a foreign function reads on from the address of the first element.
ir(1, level="tile", target="sm_80", after="insert_barriers")
def f(A: tensor(i16, [4, 8])):
    with kernel("k", grid=[1, 1, 1], block=32, smem=64) as bx:
        s = shared(i16, [4, 8], where=lambda i, j: [i * 8 + (i + j) % 8], at=0)
        if tid < 4:
            foreign(s[tid, 2:6], name="one", access="r")
            foreign(s[tid, 2], name="one", access="r")
#> error[layout-form]: the layout of `s` does not keep the 4 elements of this address adjacent
#>   --> fail_address_of_scattered_elements.py, line 8
#>   8 |             foreign(s[tid, 2:6], name="one", access="r")
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: pass the address of one element, T.access_ptr(s[i, j], "r", 1), or annotate a layout of rows, T.Layout(shape, lambda i, j: i * stride + j)
