# test: passes run=lower_tile_ops
# A foreign function reads on from the address of the first element: 16 bytes of a swizzle stay adjacent, a row of columns does not.
ir(1, level="tile", target="sm_80", after="insert_barriers")
def f(A: tensor(i16, [4, 8])):
    with kernel("k", grid=[1, 1, 1], block=32, smem=2048) as bx:
        s = shared(i16, [16, 64], lay=[[a(16, 64)], [a(64, 1)]], swz=(16, 128, 7), at=0)
        t = shared(i16, [8, 4], lay=[[a(8, 1)], [a(4, 8)]], at=1920)
        if tid < 4:
            foreign(s[tid, 8:16], name="one", access="r")
            foreign(s[tid, tid * 8:tid * 8 + 8], name="one", access="r")
            foreign(t[0:8, tid], name="one", access="r")
            foreign(s[tid, 4:12], name="one", access="r")
            foreign(s[tid, 0:16], name="one", access="r")
            foreign(t[tid, 0:4], name="one", access="r")
#> error[layout-form]: the layout of `s` does not keep the 8 elements of this address adjacent
#>   --> fail_address_in_a_swizzle.py, line 12
#>  12 |             foreign(s[tid, 4:12], name="one", access="r")
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: pass the address of one element, T.access_ptr(s[i, j], "r", 1), or annotate a layout of rows, T.Layout(shape, lambda i, j: i * stride + j)
#>
#> error[layout-form]: the layout of `s` does not keep the 16 elements of this address adjacent
#>   --> fail_address_in_a_swizzle.py, line 13
#>  13 |             foreign(s[tid, 0:16], name="one", access="r")
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: pass the address of one element, T.access_ptr(s[i, j], "r", 1), or annotate a layout of rows, T.Layout(shape, lambda i, j: i * stride + j)
#>
#> error[layout-form]: the layout of `t` does not keep the 4 elements of this address adjacent
#>   --> fail_address_in_a_swizzle.py, line 14
#>  14 |             foreign(t[tid, 0:4], name="one", access="r")
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: pass the address of one element, T.access_ptr(s[i, j], "r", 1), or annotate a layout of rows, T.Layout(shape, lambda i, j: i * stride + j)
