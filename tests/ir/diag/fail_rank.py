# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64]), B: tensor(f16, [8, 8])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        A[tid, 0] = 1.0
        x = B[tid]
#> error[ir-rank]: `A` has 1 dimension, but 2 indices are given
#>   --> fail_rank.py, line 5
#>   5 |         A[tid, 0] = 1.0
#>     |         ^^^^^^^^^
#> help: write one index for each dimension
#>
#> error[ir-rank]: `B` has 2 dimensions, but 1 index is given
#>   --> fail_rank.py, line 6
#>   6 |         x = B[tid]
#>     |             ^^^^^^
#> help: write one index for each dimension
