# test: passes run=infer_layouts
# Rows of 36 spread over 32 threads do not follow rows of 32: the loop reads a copy in shared memory.
ir(1, level="tile", target="mp_31")
def f(A: tensor(f32, [9, 32]), B: tensor(f32, [8, 36])):
    with kernel("k", grid=[1, 1, 1], block=32) as (bx, by, bz):
        x = fragment(f32, [9, 32], lay=[[r(9, 1)], [t(32, 1)]])
        copy(A, x, by="simt")
        for i, j in parallel(8, 36):
            B[i, j] = x[(i * 36 + j) // 32, (i * 36 + j) % 32]
#> warning[layout-conversion]: `x` is redistributed through shared memory here (1152 bytes)
#>   --> indices_of_no_map.py, line 8
#>   6 |         x = fragment(f32, [9, 32], lay=[[r(9, 1)], [t(32, 1)]])
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ its elements are distributed over threads for annotate_layout
#>  ...
#>   8 |         for i, j in parallel(8, 36):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: give both the same thread map with T.annotate_layout, or keep this part in shared memory
#>
#> ir(1, level="tile", target="mp_31", after="infer_layouts")
#> def f(A: tensor(f32, [9, 32]), B: tensor(f32, [8, 36])):
#>     with kernel("k", grid=[1, 1, 1], block=32) as (bx, by, bz):
#>         x = fragment(f32, [9, 32], lay=[[r(9, 1)], [t(32, 1)]])
#>         x_smem = shared(f32, [9, 32], lay=[[a(9, 32)], [a(32, 1)]], of="x@8")
#>         copy(A, x, by="simt", vec=1, lay=[[r(9, 1)], [t(32, 1)]])
#>         copy(x, x_smem, by="simt", vec=1, lay=[[r(9, 1)], [t(32, 1)]])
#>         for i, j in parallel(8, 36, lay=frag([8, 36], [[r(3, 4), t(3, 9)], [t(9, 1), r(4, 1)]]), vec=1):
#>             B[i, j] = x_smem[(i * 36 + j) // 32, (i * 36 + j) % 32]
