# test: passes run=lower_tile_ops
ir(1, level="tile", target="mp_31")
def f(A: tensor(i32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64, smem=0) as (bx, by, bz):
        s = fragment(i32, [1], lay=[[r(1, 1)]], rep=[t(64, 1)])
        reduce(A, s, dims=[0], op="sum", clear=True)
#> error[pass-not-built]: lower_tile_ops cannot lower a reduction of a buffer that is not a fragment yet
#>   --> fail_reduce_of_a_tensor.py, line 6
#>   6 |         reduce(A, s, dims=[0], op="sum", clear=True)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write the text at the next lower level, or use another form of the operation
