# test: lower after=verify_kernel
def main(A: T.Tensor((64, 32), "float32"), B: T.Tensor((64, 32), "float16"), n: T.int32):
    with T.Kernel(4, threads=64) as bx:
        tx = T.get_thread_binding()
        f = T.alloc_fragment((64, 32), "float32")
        if tx < 32:
            T.copy(A, f)
#> error[divergent-tile-op]: T.copy is reached only by some threads
#>   --> kernel.py, line 7
#>   6 |         if tx < 32:
#>     |         ~~~~~~~~~~~ this condition depends on the thread
#>   7 |             T.copy(A, f)
#>     |             ^^^^^^^^^^^^
#> help: let all threads reach it, and put the condition on elements in a T.Parallel
