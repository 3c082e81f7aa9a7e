# test: lower after=verify_kernel
def main(A: T.Tensor((64, 32), "float32"), B: T.Tensor((64, 32), "float16"), n: T.int32):
    with T.Kernel(4, threads=64) as bx:
        s = T.alloc_shared((64, 32), "float32")
        T.copy(A, s)
        T.cumsum(s, dim=0)
#> error[not-built-scan]: T.cumsum is planned and not built yet
#>   --> kernel.py, line 6
#>   6 |         T.cumsum(s, dim=0)
#>     |         ^^^^^^^^^^^^^^^^^^
#> help: write the sum as a serial loop over one row
