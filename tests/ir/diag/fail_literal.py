# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64]), B: tensor(f16, [8, 8])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        x = tid + 5000000000
        B[0, 0] = 1e6
#> error[ir-literal]: 5000000000 does not fit i32
#>   --> fail_literal.py, line 5
#>   5 |         x = tid + 5000000000
#>     |                   ^^^^^^^^^^
#> help: write a value that the type can represent, or another type: i64(5000000000)
#>
#> error[ir-literal]: 1e6 does not fit f16
#>   --> fail_literal.py, line 6
#>   6 |         B[0, 0] = 1e6
#>     |                   ^^^
#> help: write a value that the type can represent, or another type: i64(5000000000)
