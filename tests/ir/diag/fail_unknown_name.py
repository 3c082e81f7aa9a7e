# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64]), B: tensor(f16, [8, 8])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        tile = bx * 64
        A[tid] = A[title + tid]
#> error[ir-unknown-name]: `title` is not declared here
#>   --> fail_unknown_name.py, line 6
#>   6 |         A[tid] = A[title + tid]
#>     |                    ^^^^^
#> help: did you mean `tile`?
