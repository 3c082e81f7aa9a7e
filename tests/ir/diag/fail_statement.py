# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64]), B: tensor(f16, [8, 8])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        A[tid] += 1.0
        lambda: 1
        for i in range(4):
            pass
#> error[ir-statement]: this augmented_assign statement is not valid here
#>   --> fail_statement.py, line 5
#>   5 |         A[tid] += 1.0
#>     |         ^^^^^^^^^^^^^
#> help: see docs/ir.md, section 2, for the statements of a text
#>
#> error[ir-statement]: an expression without side effect is not valid here
#>   --> fail_statement.py, line 6
#>   6 |         lambda: 1
#>     |         ^^^^^^^^^
#> help: see docs/ir.md, section 2, for the statements of a text
#>
#> error[ir-statement]: a loop over anything but serial, unroll, vec, pipelined, steps, parallel or tiles is not valid here
#>   --> fail_statement.py, line 7
#>   7 |         for i in range(4):
#>     |                  ^^^^^^^^
#> help: see docs/ir.md, section 2, for the statements of a text
