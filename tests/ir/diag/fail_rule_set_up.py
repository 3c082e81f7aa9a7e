# test: diag
# Barriers are set up before the kernel begins: none is created per iteration.
ir(1, level="tile", target="sm_90a", after="plan_shared_memory")
def f(A: tensor(f16, [64, 256])):
    with kernel("k", grid=[1, 1, 1], block=256, smem=16384) as (bx, by, bz):
        full = barrier([2], count=128, unit="lane")
        for k in serial(4):
            empty = barrier([2], count=128, unit="lane")
            bar_arrive(full[0])
#> error[ir-rule]: the barriers `empty` are declared in a loop, branch or role, but initialized once
#>   --> fail_rule_set_up.py, line 8
#>   8 |             empty = barrier([2], count=128, unit="lane")
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
