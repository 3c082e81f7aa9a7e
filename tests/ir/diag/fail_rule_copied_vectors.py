# test: diag
# An asynchronous copy of a thread has as many adjacent elements on either side, and a condition; barriers have no dtype.
ir(1, level="tile", target="sm_80", after="infer_layouts")
def f(A: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        s = shared(f16, [16, 64], lay=[[a(16, 64)], [a(64, 1)]])
        bars = barrier([2], dtype=f64, count=128, unit="lane")
        for i, j in parallel(16, 32, lay=[[r(8, 1), t(2, 32)], [t(32, 1)]], vec=1):
            cp_async(s[i, j * 2:j * 2 + 2], A[j * 2:j * 2 + 2])
            cp_async(s[i, j * 2:j * 2 + 2], A[i, j * 2:j * 2 + 4])
            cp_async(s[i, j * 2:j * 2 + 2], A[i, j * 2:j * 2 + 2], i << 8)
            cp_async(s[i:i + 2, j], A[i, j * 2:j * 2 + 2])
#> error[ir-rule]: the barriers `bars` have no dtype
#>   --> fail_rule_copied_vectors.py, line 7
#>   7 |         bars = barrier([2], dtype=f64, count=128, unit="lane")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[target-lacks]: `bars` is not available on sm_80: it has no asynchronous barriers
#>   --> fail_rule_copied_vectors.py, line 7
#>   7 |         bars = barrier([2], dtype=f64, count=128, unit="lane")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: choose a target that has it (%target), or another operation
#>
#> error[ir-rule]: `cp_async` copies adjacent elements to as many
#>   --> fail_rule_copied_vectors.py, line 9
#>   9 |             cp_async(s[i, j * 2:j * 2 + 2], A[j * 2:j * 2 + 2])
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `cp_async` copies adjacent elements to as many
#>   --> fail_rule_copied_vectors.py, line 10
#>  10 |             cp_async(s[i, j * 2:j * 2 + 2], A[i, j * 2:j * 2 + 4])
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-type]: this is i32, but bool for a condition is needed
#>   --> fail_rule_copied_vectors.py, line 11
#>  11 |             cp_async(s[i, j * 2:j * 2 + 2], A[i, j * 2:j * 2 + 2], i << 8)
#>     |                                                                    ^^^^^^
#> help: convert it, as in f32(x); write a condition as a comparison, as in x != 0
#>
#> error[ir-rule]: `cp_async` copies adjacent elements to as many
#>   --> fail_rule_copied_vectors.py, line 12
#>  12 |             cp_async(s[i:i + 2, j], A[i, j * 2:j * 2 + 2])
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
