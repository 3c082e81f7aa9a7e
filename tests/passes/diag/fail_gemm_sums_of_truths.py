# test: lower after=verify_kernel
def product(A: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "bool")):
    with T.Kernel(1, threads=128):
        s = T.alloc_shared((64, 64), "float16")
        c = T.alloc_fragment((64, 64), "bool")
        T.copy(A, s)
        T.gemm(s, s, c, transpose_B=True)
        T.copy(c, C)
#> error[gemm-accumulator]: T.gemm cannot accumulate in `c`, which is a buffer of bool
#>   --> kernel.py, line 7
#>   7 |         T.gemm(s, s, c, transpose_B=True)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: allocate it with a numeric dtype
