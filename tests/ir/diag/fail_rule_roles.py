# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64])):
    check(A[0] > 0.0, "arg-value")
    with kernel("k", grid=[1, 1], block=128) as bx:
        with role("producer", 0, 64):
            pass
        with role("consumer", 32, 200):
            pass
#> error[ir-rule]: a grid has three extents
#>   --> fail_rule_roles.py, line 5
#>   5 |     with kernel("k", grid=[1, 1], block=128) as bx:
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the roles `producer` and `consumer` share threads
#>   --> fail_rule_roles.py, line 5
#>   5 |     with kernel("k", grid=[1, 1], block=128) as bx:
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the role `consumer` exceeds the threads of the block
#>   --> fail_rule_roles.py, line 5
#>   5 |     with kernel("k", grid=[1, 1], block=128) as bx:
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the role `consumer` has no whole warps
#>   --> fail_rule_roles.py, line 8
#>   8 |         with role("consumer", 32, 200):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
