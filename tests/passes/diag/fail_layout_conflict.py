# test: lower after=infer_layouts
ir(1, level="tile", target="mp_31")
def main(A: tensor(f32, [64, 64]), B: tensor(f32, [64, 64])):
    with kernel("main_k0", grid=[1, 1, 1], block=64) as bx:
        f = fragment(f32, [64, 64], lay=[[t(64, 1)], [r(64, 1)]])
        fill(f, 1.0)
        for i, j in parallel(64, 64):
            f[i, j] = f[63 - i, j] + f[i, 63 - j] + f[j, i]
#> error[layout-conflict]: layout conflict: no thread map lets this statement use fragment `f`
#>   --> fail_layout_conflict.py, line 7
#>   5 |         f = fragment(f32, [64, 64], lay=[[t(64, 1)], [r(64, 1)]])
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ its elements were distributed over threads here
#>  ...
#>   7 |         for i, j in parallel(64, 64):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ needs elements in threads that do not hold them
#> note: as digits of threads and registers: `f` is distributed as [[t(64, 1)], [r(64, 1)]], this statement runs as [[t(64, 1)], [r(64, 1)]]
#> help: keep f in shared memory (T.alloc_shared), or index it as the other statement does
