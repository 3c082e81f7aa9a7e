# test: lower after=verify_kernel
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=32) as bx:
        x = T.alloc_var("float32", 0)
        most = T.alloc_var("float32", 0)
        last = T.alloc_var("float32", 0)
        own = T.alloc_local((2,), "float32")
        for i in T.Parallel(64):
            x += A[i]
            if A[i] > 0:
                most = A[i]
            last = A[i]
            for k in T.serial(2):
                own[k] = last * k
            B[i] = last + most + own[1]
        B[0] = last
        last = 0
        B[1] = last + own[0]
#> error[parallel-value]: `x` may hold the value of another iteration
#>   --> kernel.py, line 9
#>   8 |         for i in T.Parallel(64):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~ its iterations assign `x`, each a separate copy
#>   9 |             x += A[i]
#>     |             ^^^^^^^^^
#> help: assign it before this, in the loop; compute sums over iterations with T.reduce_sum or T.alloc_reducer
#>
#> error[parallel-value]: `most` may hold the value of another iteration
#>   --> kernel.py, line 15
#>   8 |         for i in T.Parallel(64):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~ its iterations assign `most`, each a separate copy
#>  ...
#>  15 |             B[i] = last + most + own[1]
#>     |                    ^^^^^^^^^^^
#> help: assign it before this, in the loop; compute sums over iterations with T.reduce_sum or T.alloc_reducer
#>
#> error[parallel-value]: `last` may hold the value of another iteration
#>   --> kernel.py, line 16
#>   8 |         for i in T.Parallel(64):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~ its iterations assign `last`, each a separate copy
#>  ...
#>  16 |         B[0] = last
#>     |         ^^^^^^^^^^^
#> help: keep the values of the iterations in a fragment (T.alloc_fragment), or make the loop T.serial
#>
#> error[parallel-value]: `own` may hold the value of another iteration
#>   --> kernel.py, line 18
#>   8 |         for i in T.Parallel(64):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~ its iterations assign `own`, each a separate copy
#>  ...
#>  18 |         B[1] = last + own[0]
#>     |                       ^^^^^^
#> help: keep the values of the iterations in a fragment (T.alloc_fragment), or make the loop T.serial
