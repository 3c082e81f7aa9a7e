# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64]), B: tensor(f16, [8, 8])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        x = A[tid:bx]
        y = A[0:8:2]
        z = A[8:4]
#> error[ir-slice]: the width of this slice is not constant
#>   --> fail_slice.py, line 5
#>   5 |         x = A[tid:bx]
#>     |               ^^^^^^
#> help: write the width as part of the slice: `i:i + 4`, `0:128`
#>
#> error[ir-slice]: a slice of the IR has no step
#>   --> fail_slice.py, line 6
#>   6 |         y = A[0:8:2]
#>     |               ^^^^^
#> help: write the width as part of the slice: `i:i + 4`, `0:128`
#>
#> error[ir-slice]: this slice has width -4
#>   --> fail_slice.py, line 7
#>   7 |         z = A[8:4]
#>     |               ^^^
#> help: write the width as part of the slice: `i:i + 4`, `0:128`
