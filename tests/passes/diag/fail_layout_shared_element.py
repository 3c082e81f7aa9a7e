# test: lower after=infer_layouts
# Iterations of different threads change one element: in shared memory that would be a race.
ir(1, level="tile", target="mp_31")
def main(B: tensor(f32, [64])):
    with kernel("main_k0", grid=[1, 1, 1], block=32) as bx:
        f = fragment(f32, [64], lay=[[r(2, 32), t(32, 1)]])
        fill(f, 1.0)
        for i in parallel(64):
            f[i * 3 // 4] = f[i * 3 // 4] + 1.0
        copy(f, B, by="simt")
#> error[layout-conflict]: layout conflict: no thread map lets this statement use fragment `f`
#>   --> fail_layout_shared_element.py, line 8
#>   6 |         f = fragment(f32, [64], lay=[[r(2, 32), t(32, 1)]])
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ its elements were distributed over threads here
#>  ...
#>   8 |         for i in parallel(64):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^ needs elements in threads that do not hold them
#> note: as digits of threads and registers: `f` is distributed as [[r(2, 32), t(32, 1)]], this statement runs as [[r(2, 1), t(32, 1)]]
#> help: keep f in shared memory (T.alloc_shared), or index it as the other statement does
