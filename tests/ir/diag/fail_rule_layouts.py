# test: diag
ir(1, level="tile", target="mp_31")
def f(A: tensor(f32, [64, 64]), B: tensor(f32, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        copy(A[0:8, 0:16], B[0:8, 0:16], by="simt", lay=[[t(5, 8)], [t(8, 1)]])
        fill(A[0:8, 0:8], 0.0, lay=[[a(8, 8)], [a(8, 1)]])
        atomic(A[0:8, 0], 1.0, op="add", order="relaxed", lay=[[t(8, 1)], [t(1, 1)]])
        for i in parallel(64, lay=[[t(32, 1)]]):
            A[i, 0] = 1.0
        for i in parallel(64, lay=[[t(8, 4), t(8, 1)]]):
            A[i, 0] = 1.0
        for i in parallel(128, lay=[[t(128, 1)]]):
            A[i, 0] = 1.0
        f = fragment(f32, [64, 64], lay=[[a(64, 1)], [r(64, 1)]])
        s = shared(f32, [64, 64], lay=[[a(64, 1)], [t(64, 1)]])
#> error[ir-rule]: the layout of copy has another shape than its box
#>   --> fail_rule_layouts.py, line 5
#>   5 |         copy(A[0:8, 0:16], B[0:8, 0:16], by="simt", lay=[[t(5, 8)], [t(8, 1)]])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the layout of fill maps to addresses, not to threads
#>   --> fail_rule_layouts.py, line 6
#>   6 |         fill(A[0:8, 0:8], 0.0, lay=[[a(8, 8)], [a(8, 1)]])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the layout of atomic has another shape than its box
#>   --> fail_rule_layouts.py, line 7
#>   7 |         atomic(A[0:8, 0], 1.0, op="add", order="relaxed", lay=[[t(8, 1)], [t(1, 1)]])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the layout of T.Parallel has another shape than its box
#>   --> fail_rule_layouts.py, line 8
#>   8 |         for i in parallel(64, lay=[[t(32, 1)]]):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the threads of the layout of T.Parallel are not distinct
#>   --> fail_rule_layouts.py, line 10
#>  10 |         for i in parallel(64, lay=[[t(8, 4), t(8, 1)]]):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the layout of T.Parallel names thread 127 of 64 threads
#>   --> fail_rule_layouts.py, line 12
#>  12 |         for i in parallel(128, lay=[[t(128, 1)]]):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the layout of `f` maps to addresses, not to threads
#>   --> fail_rule_layouts.py, line 14
#>  14 |         f = fragment(f32, [64, 64], lay=[[a(64, 1)], [r(64, 1)]])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the layout of `s` maps to threads, not to addresses
#>   --> fail_rule_layouts.py, line 15
#>  15 |         s = shared(f32, [64, 64], lay=[[a(64, 1)], [t(64, 1)]])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
