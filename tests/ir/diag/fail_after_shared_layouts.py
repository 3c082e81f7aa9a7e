# test: diag
# A shared buffer without a layout after the pass that assigns one.
ir(1, level="tile", target="sm_90a", after="infer_layouts")
def f(A: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = shared(f16, [64, 64])
        fill(s, 0.0, lay=[[r(8, 8), t(8, 16)], [t(16, 1), r(4, 16)]])
#> error[ir-after]: the shared buffer `s` has no layout after infer_layouts
#>   --> fail_after_shared_layouts.py, line 6
#>   6 |         s = shared(f16, [64, 64])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write it as that pass does (%ir k --after PASS shows it), or name the previous pass in `after`, so that this one runs again
