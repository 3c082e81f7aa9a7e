# test: passes run=verify_kernel
# Iterations are not lanes: they have no registers for matrices of a warp.
ir(1, level="tile", target="sm_80")
def f(C: tensor(f32, [32, 4])):
    with kernel("k", grid=[1, 1, 1], block=32) as bx:
        a = local(f16, [8])
        b = local(f16, [4])
        c = local(f32, [4])
        for i in parallel(32):
            mma(c[0:4], a[0:8], b[0:4], shape="m16n8k16")
#> error[parallel-tile-op]: T.mma inside a T.Parallel
#>   --> fail_matrices_in_parallel.py, line 10
#>   9 |         for i in parallel(32):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~ in this T.Parallel
#>  10 |             mma(c[0:4], a[0:8], b[0:4], shape="m16n8k16")
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: move it out of the loop, to statements of single threads
#>
#> error[parallel-value]: `c` may hold the value of another iteration
#>   --> fail_matrices_in_parallel.py, line 10
#>   9 |         for i in parallel(32):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~ its iterations assign `c`, each a separate copy
#>  10 |             mma(c[0:4], a[0:8], b[0:4], shape="m16n8k16")
#>     |                 ^^^^^^
#> help: assign it before this, in the loop; compute sums over iterations with T.reduce_sum or T.alloc_reducer
