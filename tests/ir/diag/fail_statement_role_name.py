# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        with role("all", 0, 64) as rt:
            A[rt] = 0.0
#> error[ir-statement]: a name for the thread of a role (it is `tid`) is not valid here
#>   --> fail_statement_role_name.py, line 5
#>   5 |         with role("all", 0, 64) as rt:
#>     |                                    ^^
#> help: see docs/ir.md, section 2, for the statements of a text
