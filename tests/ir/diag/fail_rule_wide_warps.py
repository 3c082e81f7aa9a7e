# test: diag
# Warps of mp_22 have 128 lanes.
ir(1, level="tile", target="mp_22")
def f(A: tensor(f16, [128, 64])):
    with kernel("k", grid=[1, 1, 1], block=256) as (bx, by, bz):
        with role("producer", 0, 64):
            pass
        with role("consumer", 128, 256, regs=1000):
            pass
#> error[ir-rule]: the roles of `k` need 128000 registers of 65536
#>   --> fail_rule_wide_warps.py, line 5
#>   5 |     with kernel("k", grid=[1, 1, 1], block=256) as (bx, by, bz):
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[target-lacks]: `producer` is not available on mp_22: parts of a block cannot synchronize: it has no barriers
#>   --> fail_rule_wide_warps.py, line 6
#>   6 |         with role("producer", 0, 64):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: choose a target that has it (%target), or another operation
#>
#> error[ir-rule]: the role `producer` has no whole warps
#>   --> fail_rule_wide_warps.py, line 6
#>   6 |         with role("producer", 0, 64):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[target-lacks]: `consumer` is not available on mp_22: parts of a block cannot synchronize: it has no barriers
#>   --> fail_rule_wide_warps.py, line 8
#>   8 |         with role("consumer", 128, 256, regs=1000):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: choose a target that has it (%target), or another operation
