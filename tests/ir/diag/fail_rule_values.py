# test: diag
ir(1, level="tile", target="sm_80")
def f(A: tensor(f32, [64]), B: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        s = shared(f32, [64])
        b = barrier([2], count=2)
        fill(s, A[0:64])
        for i in parallel(16):
            B[i * 4:i * 4 + 4] = s[i * 4:i * 4 + 4]
#> error[target-lacks]: `b` is not available on sm_80: it has no asynchronous barriers
#>   --> fail_rule_values.py, line 6
#>   6 |         b = barrier([2], count=2)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: choose a target that has it (%target), or another operation
#>
#> error[ir-rule]: a value of tile level is one element: a part of `A` is an operand of tile operations
#>   --> fail_rule_values.py, line 7
#>   7 |         fill(s, A[0:64])
#>     |         ^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the value of fill is a scalar
#>   --> fail_rule_values.py, line 7
#>   7 |         fill(s, A[0:64])
#>     |         ^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: a value of tile level is one element: a part of `s` is an operand of tile operations
#>   --> fail_rule_values.py, line 9
#>   9 |             B[i * 4:i * 4 + 4] = s[i * 4:i * 4 + 4]
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: a store at tile level is to one element: only vectorize makes vectors
#>   --> fail_rule_values.py, line 9
#>   9 |             B[i * 4:i * 4 + 4] = s[i * 4:i * 4 + 4]
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
