# test: lower after=verify_kernel
def main(A: T.Tensor((64, 32), "float32"), B: T.Tensor((64, 32), "float16"), n: T.int32):
    with T.Kernel(4, threads=64) as bx:
        tx = T.get_thread_binding()
        f = T.alloc_fragment((64,), "float32")
        f[tx] = 1.0
#> error[fragment-thread-index]: fragment `f` is indexed by a value that differs between threads
#>   --> kernel.py, line 6
#>   6 |         f[tx] = 1.0
#>     |         ^^^^^^^^^^^
#> help: use T.Parallel over the fragment, or T.alloc_local
