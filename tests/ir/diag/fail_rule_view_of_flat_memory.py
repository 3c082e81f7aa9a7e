# test: diag
ir(1, level="flat", target="sm_90a")
def f(A: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=8192, params=[A]) as bx:
        a = shared(f16, [4096], at=0)
        rows = view(a, f16, [4096, 4096])
        A[tid] = a[tid]
#> error[ir-rule]: the view `rows` is larger than `a`
#>   --> fail_rule_view_of_flat_memory.py, line 6
#>   6 |         rows = view(a, f16, [4096, 4096])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
