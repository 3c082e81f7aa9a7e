# test: passes run=infer_layouts
# Two annotated maps: the element changes its thread, through a shared buffer.
ir(1, level="tile", target="mp_31")
def f(A: tensor(f32, [32, 32]), B: tensor(f32, [32, 32])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        x = fragment(f32, [32, 32], lay=[[t(32, 1)], [r(8, 1), t(4, 32)]])
        y = fragment(f32, [32, 32], lay=[[r(8, 1), t(4, 32)], [t(32, 1)]])
        copy(A, x, by="simt")
        copy(x, y, by="simt")
        copy(y, B, by="simt")
#> warning[layout-conversion]: `x` is redistributed through shared memory here (4096 bytes)
#>   --> conversion_through_shared.py, line 9
#>   6 |         x = fragment(f32, [32, 32], lay=[[t(32, 1)], [r(8, 1), t(4, 32)]])
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ its elements are distributed over threads for annotate_layout
#>  ...
#>   9 |         copy(x, y, by="simt")
#>     |         ^^^^^^^^^^^^^^^^^^^^^
#> help: give both the same thread map with T.annotate_layout, or keep this part in shared memory
#>
#> ir(1, level="tile", target="mp_31", after="infer_layouts")
#> def f(A: tensor(f32, [32, 32]), B: tensor(f32, [32, 32])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         x = fragment(f32, [32, 32], lay=[[t(32, 1)], [r(8, 1), t(4, 32)]])
#>         y = fragment(f32, [32, 32], lay=[[r(8, 1), t(4, 32)], [t(32, 1)]])
#>         x_smem = shared(f32, [32, 32], lay=[[a(32, 32)], [a(32, 1)]], of="convert@9")
#>         copy(A, x, by="simt", vec=1, lay=[[t(32, 1)], [r(8, 1), t(4, 32)]])
#>         copy(x, x_smem, by="simt", vec=1, lay=[[t(32, 1)], [r(8, 1), t(4, 32)]])
#>         copy(x_smem, y, by="simt", vec=1, lay=[[r(8, 1), t(4, 32)], [t(32, 1)]])
#>         copy(y, B, by="simt", vec=1, lay=[[r(8, 1), t(4, 32)], [t(32, 1)]])
