# test: diag
ir(1, level="tile", target="sm_90a")
def f(n: i32):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        A = tensor(f32, [64], address=bx)
        A[0] = 1.0
#> error[ir-type]: this is i32, but i64 is needed
#>   --> fail_address_type.py, line 5
#>   5 |         A = tensor(f32, [64], address=bx)
#>     |                                       ^^
#> help: convert it, as in f32(x); write a condition as a comparison, as in x != 0
