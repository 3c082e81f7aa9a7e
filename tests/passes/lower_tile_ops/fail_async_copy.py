# test: passes run=lower_tile_ops
# Asynchronous copies that are not lowered: an edge inside a vector, a conversion, an odd width.
ir(1, level="tile", target="sm_80", after="insert_barriers")
def f(A: tensor(f16, [M, N]), B: tensor(f32, [64]), *, M: dim(i32, 0, 2147418112), N: dim(i32, 0, 2147418112)):
    bind(M, A, 0)
    bind(N, A, 1)
    with kernel("k", grid=[1, 1, 1], block=64, smem=4096) as bx:
        s = shared(f16, [16, 64], lay=[[a(16, 64)], [a(64, 1)]], at=0)
        copy(A[0:16, 0:64], s[0:16, 0:64], by="async", vec=8, lay=[[r(2, 8), t(8, 8)], [t(8, 1), r(8, 1)]])
        copy(B[0:64], s[0, 0:64], by="async", vec=4, lay=[[t(16, 4), r(4, 1)]])
        copy(A[0:16, 0:64], s[0:16, 0:64], by="async", vec=1, lay=[[r(16, 1)], [t(64, 1)]])
#> error[pass-not-built]: lower_tile_ops cannot lower an asynchronous copy with vectors that an edge can split yet
#>   --> fail_async_copy.py, line 9
#>   9 |         copy(A[0:16, 0:64], s[0:16, 0:64], by="async", vec=8, lay=[[r(2, 8), t(8, 8)], [t(8, …
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write the text at the next lower level, or use another form of the operation
#>
#> error[pass-not-built]: lower_tile_ops cannot lower an asynchronous copy other than from global to shared memory without conversion yet
#>   --> fail_async_copy.py, line 10
#>  10 |         copy(B[0:64], s[0, 0:64], by="async", vec=4, lay=[[t(16, 4), r(4, 1)]])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write the text at the next lower level, or use another form of the operation
#>
#> error[pass-not-built]: lower_tile_ops cannot lower an asynchronous copy other than of 4, 8 or 16 bytes per thread, by a layout yet
#>   --> fail_async_copy.py, line 11
#>  11 |         copy(A[0:16, 0:64], s[0:16, 0:64], by="async", vec=1, lay=[[r(16, 1)], [t(64, 1)]])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write the text at the next lower level, or use another form of the operation
