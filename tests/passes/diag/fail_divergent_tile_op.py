# test: lower after=verify_kernel
def main(A: T.Tensor((64, 32), "float32"), B: T.Tensor((64, 32), "float16"), n: T.int32):
    with T.Kernel(4, threads=64) as bx:
        tx = T.get_thread_binding()
        f = T.alloc_fragment((64, 32), "float32")
        if tx % 32 == 0:
            T.copy(A, f)
#> error[divergent-tile-op]: divergent tile operation: only some threads reach T.copy
#>   --> kernel.py, line 7
#>   6 |         if tx % 32 == 0:
#>     |         ~~~~~~~~~~~~~~~~ this condition depends on the thread, but is not a range of threads
#>   7 |             T.copy(A, f)
#>     |             ^^^^^^^^^^^^
#> help: let all threads reach it, or a range like `tx < 128`; put a condition on elements inside a T.Parallel
