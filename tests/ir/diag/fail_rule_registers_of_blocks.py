# test: diag
# Each of two blocks on a processor has half of its registers.
ir(1, level="tile", target="sm_90a")
def f(A: tensor(f16, [128, 64])):
    with kernel("k", grid=[1, 1, 1], block=256, attrs={"min_blocks": 2}) as (bx, by, bz):
        with role("producer", 0, 128, regs=24):
            pass
        with role("consumer", 128, 256, regs=240):
            pass
#> error[ir-rule]: the roles of `k` need 33792 registers of 32768
#>   --> fail_rule_registers_of_blocks.py, line 5
#>   5 |     with kernel("k", grid=[1, 1, 1], block=256, attrs={"min_blocks": 2}) as (bx, by, bz):
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
