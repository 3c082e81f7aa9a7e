# test: diag
ir(1, level="flat", target="mp_31")
def f(A: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=2080) as bx:
        bar_reserve(64)
#> error[ir-rule]: 64 barriers are more than the 63 of the hardware
#>   --> fail_rule_reserved_numbers.py, line 5
#>   5 |         bar_reserve(64)
#>     |         ^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
