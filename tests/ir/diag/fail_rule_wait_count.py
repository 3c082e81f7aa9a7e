# test: diag
# Waits leave a number of groups pending.
ir(1, level="tile", target="sm_90a", after="infer_layouts")
def f(A: tensor(f16, [64])):
    with kernel("k", grid=[1, 1, 1], block=128) as bx:
        mma_wait(-1)
        cp_wait(bx)
#> error[ir-rule]: operand 0 of `mma_wait` is a constant from 0 on
#>   --> fail_rule_wait_count.py, line 6
#>   6 |         mma_wait(-1)
#>     |         ^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: operand 0 of `cp_wait` is a constant from 0 on
#>   --> fail_rule_wait_count.py, line 7
#>   7 |         cp_wait(bx)
#>     |         ^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
