# test: passes run=lower_tile_ops
# Copies by an engine that are not lowered: never as plain loads and stores.
ir(1, level="tile", target="mp_31", after="insert_barriers")
def load(A: tensor(f16, [64, 64]), B: tensor(f16, [64, 64])):
    A_map = tensor_map(A, dims=[64, 64], strides=[128])
    B_map = tensor_map(B, dims=[64, 64], strides=[256])
    with kernel("load_k0", grid=[1, 1, 1], block=128, smem=32768) as (bx, by, bz):
        r = ring(1, fill="tx", bytes=8192, producer="main", consumer="main")
        o = ring(1, fill="arrive", producer="main", consumer="main")
        A_s = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], at=0)
        B_s = shared(f16, [1, 64, 64], lay=[[a(1, 1)], [a(64, 65)], [a(64, 1)]], at=8192, ring=r)
        O_s = shared(f16, [1, 64, 64], lay=[[a(1, 1)], [a(64, 64)], [a(64, 1)]], at=24576, ring=o)
        copy(A[0:64, 0:64], A_s[0:64, 0:64], by="engine")
        copy(A[0:64, 0:64], A_s[0:64, 0:64], by="engine", map=A_map)
        copy(A[0:64, 0:64], B_s[0, 0:64, 0:64], by="engine", map=B_map)
        copy(B[0:64, 0:64], B_s[0, 0:64, 0:64], by="engine", map=B_map)
        copy(A[0:64, 0:64], B_s[0, 0:64, 0:64], by="engine", map=A_map)
        copy(A[0:64, 0:64], O_s[0, 0:64, 0:64], by="engine", map=A_map)
        if tid < 64:
            copy(A[0:64, 0:64], B_s[0, 0:64, 0:64], by="engine", map=A_map)
#> error[pass-not-built]: lower_tile_ops cannot lower a TMA copy without a tensor map yet
#>   --> fail_engine_copy.py, line 13
#>  13 |         copy(A[0:64, 0:64], A_s[0:64, 0:64], by="engine")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write the text at the next lower level, or use another form of the operation
#>
#> error[pass-not-built]: lower_tile_ops cannot lower a TMA copy without a slot of a ring yet
#>   --> fail_engine_copy.py, line 14
#>  14 |         copy(A[0:64, 0:64], A_s[0:64, 0:64], by="engine", map=A_map)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write the text at the next lower level, or use another form of the operation
#>
#> error[pass-not-built]: lower_tile_ops cannot lower a TMA copy with the map of another tensor yet
#>   --> fail_engine_copy.py, line 15
#>  15 |         copy(A[0:64, 0:64], B_s[0, 0:64, 0:64], by="engine", map=B_map)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write the text at the next lower level, or use another form of the operation
#>
#> error[pass-not-built]: lower_tile_ops cannot lower a TMA copy whose map does not match the dimensions of its tensor yet
#>   --> fail_engine_copy.py, line 16
#>  16 |         copy(B[0:64, 0:64], B_s[0, 0:64, 0:64], by="engine", map=B_map)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write the text at the next lower level, or use another form of the operation
#>
#> error[pass-not-built]: lower_tile_ops cannot lower a TMA copy whose boxes are not contiguous in memory yet
#>   --> fail_engine_copy.py, line 17
#>  17 |         copy(A[0:64, 0:64], B_s[0, 0:64, 0:64], by="engine", map=A_map)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write the text at the next lower level, or use another form of the operation
#>
#> error[pass-not-built]: lower_tile_ops cannot lower a TMA copy with a ring that is filled by arrive yet
#>   --> fail_engine_copy.py, line 18
#>  18 |         copy(A[0:64, 0:64], O_s[0, 0:64, 0:64], by="engine", map=A_map)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write the text at the next lower level, or use another form of the operation
#>
#> error[pass-not-built]: lower_tile_ops cannot lower a TMA copy under a condition that depends on the thread yet
#>   --> fail_engine_copy.py, line 20
#>  20 |             copy(A[0:64, 0:64], B_s[0, 0:64, 0:64], by="engine", map=A_map)
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write the text at the next lower level, or use another form of the operation
