# test: diag
ir(1, level="tile", target="mp_31")
def f(A: tensor(i32, [64])):
    x = atomic_load(A[0])
    y = var(i32, 0)
    for i in serial(4):
        pass
    if 1 == 1:
        pass
    with kernel("k", grid=[1, i32(leader("block")), 1], block=64) as bx:
        A[0] = x
#> error[ir-rule]: a value is outside a kernel
#>   --> fail_rule_host.py, line 4
#>   4 |     x = atomic_load(A[0])
#>     |     ^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `atomic_load` is an operation of threads, but is outside a kernel
#>   --> fail_rule_host.py, line 4
#>   4 |     x = atomic_load(A[0])
#>     |     ^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: var is outside a kernel
#>   --> fail_rule_host.py, line 5
#>   5 |     y = var(i32, 0)
#>     |     ^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: a loop is outside a kernel
#>   --> fail_rule_host.py, line 6
#>   6 |     for i in serial(4):
#>     |     ^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: a branch is outside a kernel
#>   --> fail_rule_host.py, line 8
#>   8 |     if 1 == 1:
#>     |     ^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `leader` is an operation of threads, but is outside a kernel
#>   --> fail_rule_host.py, line 10
#>  10 |     with kernel("k", grid=[1, i32(leader("block")), 1], block=64) as bx:
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
