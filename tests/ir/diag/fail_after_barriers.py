# test: diag
ir(1, level="thread", target="mp_31", after="allocate_barriers")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64, smem=0) as bx:
        full = barrier([2], count=2, unit="warp")
        empty = barrier([2], count=2, unit="warp", id=-3)
        role_sync()
        role_sync(id=1)
        x = full[0]
        full[0] = 1.0
#> error[ir-after]: the barriers `full` have no number after allocate_barriers
#>   --> fail_after_barriers.py, line 5
#>   5 |         full = barrier([2], count=2, unit="warp")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write it as that pass does (%ir k --after PASS shows it), or name the previous pass in `after`, so that this one runs again
#>
#> error[ir-rule]: no barrier has the number -3
#>   --> fail_after_barriers.py, line 6
#>   6 |         empty = barrier([2], count=2, unit="warp", id=-3)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-after]: `role_sync` has no number after allocate_barriers
#>   --> fail_after_barriers.py, line 7
#>   7 |         role_sync()
#>     |         ^^^^^^^^^^^
#> help: write it as that pass does (%ir k --after PASS shows it), or name the previous pass in `after`, so that this one runs again
#>
#> error[ir-rule]: `role_sync` has both its `id` and `threads`, or neither
#>   --> fail_after_barriers.py, line 8
#>   8 |         role_sync(id=1)
#>     |         ^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `full` is an array of barriers, which hold no values
#>   --> fail_after_barriers.py, line 9
#>   9 |         x = full[0]
#>     |         ^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `full` is an array of barriers, which hold no values
#>   --> fail_after_barriers.py, line 10
#>  10 |         full[0] = 1.0
#>     |         ^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
