# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64]), B: tensor(f16, [8, 8])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        A[tid] = exq2(A[tid])
#> error[ir-unknown-call]: `exq2` is not an operation of the IR
#>   --> fail_unknown_call.py, line 5
#>   5 |         A[tid] = exq2(A[tid])
#>     |                  ^^^^
#> help: did you mean `exp2`?
