# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64]), B: tensor(f16, [8, 8])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        x = A[tid] + B[tid // 8, tid % 8]
        A[tid] = B[0, 0]
        if tid:
            A[tid] = 0.0
#> error[ir-type]: this is f16, but f32 is needed
#>   --> fail_type.py, line 5
#>   5 |         x = A[tid] + B[tid // 8, tid % 8]
#>     |                      ^^^^^^^^^^^^^^^^^^^^
#> help: convert it, as in f32(x); write a condition as a comparison, as in x != 0
#>
#> error[ir-type]: this is f16, but f32 is needed
#>   --> fail_type.py, line 6
#>   6 |         A[tid] = B[0, 0]
#>     |                  ^^^^^^^
#> help: convert it, as in f32(x); write a condition as a comparison, as in x != 0
#>
#> error[ir-type]: this is i32, but bool is needed
#>   --> fail_type.py, line 7
#>   7 |         if tid:
#>     |            ^^^
#> help: convert it, as in f32(x); write a condition as a comparison, as in x != 0
