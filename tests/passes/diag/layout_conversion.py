# test: lower after=infer_layouts
ir(1, level="tile", target="mp_31")
def main(A: tensor(f32, [64, 64]), B: tensor(f32, [64, 64])):
    with kernel("main_k0", grid=[1, 1, 1], block=64) as bx:
        f = fragment(f32, [64, 64], lay=[[t(64, 1)], [r(64, 1)]])
        g = fragment(f32, [64, 64], lay=[[r(64, 1)], [t(64, 1)]])
        fill(f, 1.0)
        for i, j in parallel(64, 64):
            g[i, j] = f[i, j]
#> warning[kernel-writes-nothing]: this kernel writes none of its tensors
#>   --> layout_conversion.py, line 4
#>   4 |     with kernel("main_k0", grid=[1, 1, 1], block=64) as bx:
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: store the result in a tensor: T.copy(result, C[...]), or C[i] = ...
#>
#> warning[layout-conversion]: `f` is redistributed through shared memory here (16384 bytes)
#>   --> layout_conversion.py, line 8
#>   5 |         f = fragment(f32, [64, 64], lay=[[t(64, 1)], [r(64, 1)]])
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ its elements are distributed over threads for annotate_layout
#>  ...
#>   8 |         for i, j in parallel(64, 64):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: give both the same thread map with T.annotate_layout, or keep this part in shared memory
#>
#> ir(1, level="tile", target="mp_31", after="infer_layouts")
#> def main(A: tensor(f32, [64, 64]), B: tensor(f32, [64, 64])):
#>     with kernel("main_k0", grid=[1, 1, 1], block=64) as bx:
#>         f = fragment(f32, [64, 64], lay=[[t(64, 1)], [r(64, 1)]])
#>         g = fragment(f32, [64, 64], lay=[[r(64, 1)], [t(64, 1)]])
#>         f_as = fragment(f32, [64, 64], lay=[[r(64, 1)], [t(64, 1)]], of="f@8")
#>         f_smem = shared(f32, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], of="f@8")
#>         fill(f, 1.0, vec=4, lay=[[t(64, 1)], [r(64, 1)]])
#>         copy(f, f_smem, by="simt", vec=4, lay=[[t(64, 1)], [r(64, 1)]])
#>         copy(f_smem, f_as, by="simt", vec=1, lay=[[r(64, 1)], [t(64, 1)]])
#>         for i, j in parallel(64, 64, lay=[[r(64, 1)], [t(64, 1)]], vec=1):
#>             g[i, j] = f_as[i, j]
