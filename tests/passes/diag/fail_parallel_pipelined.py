# test: lower after=verify_kernel
def main(A: T.Tensor((64, 32), "float32"), B: T.Tensor((64, 32), "float16"), n: T.int32):
    with T.Kernel(4, threads=64) as bx:
        for i in T.Parallel(64):
            for k in T.Pipelined(4, num_stages=2):
                A[i, k] = 1.0
#> error[parallel-pipelined]: T.Pipelined loop inside a T.Parallel
#>   --> kernel.py, line 5
#>   5 |             for k in T.Pipelined(4, num_stages=2):
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: put the T.Parallel inside the T.Pipelined loop
