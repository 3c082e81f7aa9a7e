# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64]), B: tensor(f16, [8, 8])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        x = fragment(f32, [64])
        copy(A, x)
        for i in parallel(64):
            x[i] = 0.0
#> error[ir-level]: a fragment does not exist at thread level
#>   --> fail_level_tile_op.py, line 5
#>   5 |         x = fragment(f32, [64])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^
#> help: write the text at the level of the operation; `tilelab compile` lowers it further
#>
#> error[ir-level]: copy does not exist at thread level
#>   --> fail_level_tile_op.py, line 6
#>   6 |         copy(A, x)
#>     |         ^^^^^^^^^^
#> help: write the text at the level of the operation; `tilelab compile` lowers it further
#>
#> error[ir-level]: T.Parallel does not exist at thread level
#>   --> fail_level_tile_op.py, line 7
#>   7 |         for i in parallel(64):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^
#> help: write the text at the level of the operation; `tilelab compile` lowers it further
