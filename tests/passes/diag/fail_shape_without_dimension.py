# test: lower after=verify_kernel
def one(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=32):
        x = T.alloc_fragment((), "float32")
        y = T.alloc_local((), "float32")
        y[()] = 1.0
        A[0] = y[()]
#> error[shape-dynamic]: the extent of a buffer is missing: its shape is ()
#>   --> kernel.py, line 4
#>   4 |         x = T.alloc_fragment((), "float32")
#>     |                              ^^
#> help: use the shape (1,) for one element
