# test: verify
ir(1, level="thread", target="sm_90a")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        c = local(f32, [4])
        atomic_add(A[0:4], c[0:4], order="relaxed")
        atomic_add(A[0:4], c[0], order="relaxed")
        old = atomic_add(A[0:4], c[0:4], order="relaxed")
        atomic_max(A[0:2], c[0:2], order="relaxed")
        d = local(bool, [4])
        atomic_add(d[0], d[1], order="relaxed")
        atomic_or(c[0], c[1], order="relaxed")
        atomic_or(d[0], d[1], order="relaxed")
#> error[ir-rule]: `atomic_add` of 4 elements and 1 value
#>   --> fail_rule_atomic_elements.py, line 7
#>   7 |         atomic_add(A[0:4], c[0], order="relaxed")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `atomic_add` of 4 elements has no result
#>   --> fail_rule_atomic_elements.py, line 8
#>   8 |         old = atomic_add(A[0:4], c[0:4], order="relaxed")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: operand 1 of `atomic_max` is a scalar
#>   --> fail_rule_atomic_elements.py, line 9
#>   9 |         atomic_max(A[0:2], c[0:2], order="relaxed")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `atomic_add` of bool
#>   --> fail_rule_atomic_elements.py, line 11
#>  11 |         atomic_add(d[0], d[1], order="relaxed")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `atomic_or` of f32
#>   --> fail_rule_atomic_elements.py, line 12
#>  12 |         atomic_or(c[0], c[1], order="relaxed")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
