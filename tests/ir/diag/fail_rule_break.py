# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64]), B: tensor(f16, [8, 8])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        break
        if tid < 4:
            break
#> error[ir-rule]: break is outside a loop
#>   --> fail_rule_break.py, line 5
#>   5 |         break
#>     |         ^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: break is outside a loop
#>   --> fail_rule_break.py, line 7
#>   7 |             break
#>     |             ^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
