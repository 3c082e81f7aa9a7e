# test: diag
ir(1, level="tile", target="mp_31", after="infer_layouts")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        x = fragment(f32, [64])
        y = fragment(f32, [64], lay=[[t(64, 1)]])
        v = view(y, f32, [8, 8])
        for i in parallel(64):
            x[i] = y[i]
#> error[ir-after]: the fragment `x` has no layout after infer_layouts
#>   --> fail_after_layouts.py, line 5
#>   5 |         x = fragment(f32, [64])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^
#> help: write it as that pass does (%ir k --after PASS shows it), or name the previous pass in `after`, so that this one runs again
#>
#> error[ir-after]: T.Parallel has no layout after infer_layouts
#>   --> fail_after_layouts.py, line 8
#>   8 |         for i in parallel(64):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^
#> help: write it as that pass does (%ir k --after PASS shows it), or name the previous pass in `after`, so that this one runs again
