# test: lower after=verify_kernel
def main(A: T.Tensor((64, 32), "float32"), B: T.Tensor((64, 32), "float16"), n: T.int32):
    with T.Kernel(4, threads=64) as bx:
        tx = T.get_thread_binding()
        stage = T.alloc_var("int32", 0)
        if tx < 32:
            stage = 1
            T.clear(A[stage, 0:32])
        T.clear(A[stage, 0:32])
        T.copy(A[tx, 0:32], B[tx, 0:32])
        for i in T.Parallel(64):
            mine = A[i, 0] + tx
            B[i, 0] = mine
#> error[thread-value]: T.clear uses a value that differs between threads
#>   --> kernel.py, line 9
#>   9 |         T.clear(A[stage, 0:32])
#>     |                 ^^^^^^^^^^^^^^
#> help: write a T.serial loop over the elements: each thread executes it
#>
#> error[thread-value]: T.copy uses a value that differs between threads
#>   --> kernel.py, line 10
#>  10 |         T.copy(A[tx, 0:32], B[tx, 0:32])
#>     |                ^^^^^^^^^^^
#> help: write a T.serial loop over the elements: each thread executes it
#>
#> error[thread-value]: T.Parallel uses a value that differs between threads
#>   --> kernel.py, line 12
#>  12 |             mine = A[i, 0] + tx
#>     |                    ^^^^^^^^^^^^
#> help: use the loop's variables, or move the statement out of the loop
