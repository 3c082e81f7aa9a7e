# test: diag
ir(1, level="flat", target="sm_80")
def f(A: tensor(f16, [64])):
    with kernel("k", grid=[1, 1, 1], block=32, smem=128, params=[A]) as bx:
        cp_async(tid * 4, A[tid * 2:tid * 2 + 2])
#> error[ir-rule]: operand 0 of `cp_async` is a part of shared memory
#>   --> fail_rule_async_place.py, line 5
#>   5 |         cp_async(tid * 4, A[tid * 2:tid * 2 + 2])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
