# test: diag
ir(1, level="tile", target="mp_31", after="insert_barriers")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64, smem=512) as bx:
        x = fragment(f32, [2, 64], lay=[[r(2, 1)], [t(64, 1)]])
        m = fragment(f32, [2], lay=[[r(2, 1)]], rep=[t(64, 1)])
        n = fragment(f32, [4], lay=[[r(4, 1)]], rep=[t(64, 1)])
        w = shared(f16, [2, 2], lay=[[a(2, 2)], [a(2, 1)]], at=0)
        c = fragment(f32, [2, 2], lay=[[t(2, 2)], [t(2, 1)]], rep=[t(16, 4)])
        b = shared(f32, [64, 2], lay=[[a(64, 2)], [a(2, 1)]], at=0)
        reduce(x, m, dims=[1], op="sum", clear=True, ws=w)
        reduce(x, n[0:2], dims=[1], op="sum", clear=True, ws=w)
        gemm(x, b, c, by="fma")
        gemm(x, b, c)
#> error[ir-after]: the workspace `w` does not fit the reduction after infer_layouts
#>   --> fail_after_workspaces.py, line 11
#>  11 |         reduce(x, m, dims=[1], op="sum", clear=True, ws=w)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write it as that pass does (%ir k --after PASS shows it), or name the previous pass in `after`, so that this one runs again
#>
#> error[ir-after]: a reduction takes a part of the fragment `n` after infer_layouts
#>   --> fail_after_workspaces.py, line 12
#>  12 |         reduce(x, n[0:2], dims=[1], op="sum", clear=True, ws=w)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write it as that pass does (%ir k --after PASS shows it), or name the previous pass in `after`, so that this one runs again
#>
#> error[ir-after]: the workspace `w` does not fit the reduction after infer_layouts
#>   --> fail_after_workspaces.py, line 12
#>  12 |         reduce(x, n[0:2], dims=[1], op="sum", clear=True, ws=w)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write it as that pass does (%ir k --after PASS shows it), or name the previous pass in `after`, so that this one runs again
#>
#> error[ir-after]: an operand of gemm in the fragment `x` has no workspace after infer_layouts
#>   --> fail_after_workspaces.py, line 13
#>  13 |         gemm(x, b, c, by="fma")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^
#> help: write it as that pass does (%ir k --after PASS shows it), or name the previous pass in `after`, so that this one runs again
#>
#> error[ir-after]: no unit is assigned to the gemm after select_instructions
#>   --> fail_after_workspaces.py, line 14
#>  14 |         gemm(x, b, c)
#>     |         ^^^^^^^^^^^^^
#> help: write it as that pass does (%ir k --after PASS shows it), or name the previous pass in `after`, so that this one runs again
