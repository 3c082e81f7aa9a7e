# test: diag
# Barriers with numbers have their place before they are reserved.
ir(1, level="thread", target="sm_90a", after="allocate_barriers")
def f(A: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=2080) as bx:
        ready = barrier([4], count=1, id=0)
        s = shared(f16, [1024], at=1)
#> error[ir-rule]: 4 barriers, the last 32 bytes of the kernel's 2080 (`smem`), overlap `s`
#>   --> fail_rule_numbered_barriers.py, line 5
#>   5 |     with kernel("k", grid=[1, 1, 1], block=128, smem=2080) as bx:
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-after]: the shared buffer `s` has no layout after infer_layouts
#>   --> fail_rule_numbered_barriers.py, line 7
#>   7 |         s = shared(f16, [1024], at=1)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write it as that pass does (%ir k --after PASS shows it), or name the previous pass in `after`, so that this one runs again
