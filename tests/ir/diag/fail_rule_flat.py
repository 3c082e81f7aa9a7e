# test: diag
ir(1, level="flat", target="mp_31")
def f(A: tensor(f32, [8, 8])):
    with kernel("k", grid=[1, 1, 1], block=64, params=[A]) as bx:
        s = shared(f32, [64], lay=[[a(64, 1)]], at=0)
        r = local(f16, [4, 4])
        with role("all", 0, 64):
            A[tid, 0] = s[tid]
#> error[ir-level]: the layout of a shared buffer does not exist at flat level
#>   --> fail_rule_flat.py, line 5
#>   5 |         s = shared(f32, [64], lay=[[a(64, 1)]], at=0)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write the text at the level of the operation; `tilelab compile` lowers it further
#>
#> error[ir-level]: memory of 2 dimensions does not exist at flat level
#>   --> fail_rule_flat.py, line 6
#>   6 |         r = local(f16, [4, 4])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^
#> help: write the text at the level of the operation; `tilelab compile` lowers it further
#>
#> error[ir-level]: a role does not exist at flat level
#>   --> fail_rule_flat.py, line 7
#>   7 |         with role("all", 0, 64):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write the text at the level of the operation; `tilelab compile` lowers it further
#>
#> error[ir-rule]: flat memory has one index, not 2: `A`
#>   --> fail_rule_flat.py, line 8
#>   8 |             A[tid, 0] = s[tid]
#>     |             ^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
