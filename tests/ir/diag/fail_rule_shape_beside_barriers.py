# test: diag
ir(1, level="flat", target="sm_90a")
def f(A: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=2080) as bx:
        bar_reserve(4)
        s = shared(f16, [tdiv(tid, 8)], at=0)
#> error[ir-rule]: the shape of `s` is not constant
#>   --> fail_rule_shape_beside_barriers.py, line 6
#>   6 |         s = shared(f16, [tdiv(tid, 8)], at=0)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
