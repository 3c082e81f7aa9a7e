# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64]), B: tensor(f16, [8, 8])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        x = unknown_thing
        y = x + 1
        A[tid] = y
#> error[ir-unknown-name]: `unknown_thing` is not declared here
#>   --> fail_cascade.py, line 5
#>   5 |         x = unknown_thing
#>     |             ^^^^^^^^^^^^^
#> help: declare it before its use: a parameter, `s = shared(f32, [64])`, `x = var(i32, 0)`
