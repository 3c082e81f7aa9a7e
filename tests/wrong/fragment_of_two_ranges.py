# SPDX-License-Identifier: Apache-2.0
"""One range of threads fills a fragment, another reads it."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=128):
        x = T.alloc_fragment((64, 64), "float32")
        tx = T.get_thread_binding()
        if tx < 64:
            T.copy(A, x)
        if tx >= 64:
            T.copy(x, B)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[range-fragment]: threads outside this range hold elements of fragment `x`
#>   --> fragment_of_two_ranges.py, line 15
#>  10 |         x = T.alloc_fragment((64, 64), "float32")
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ its elements were distributed over threads 0 to 63 here, for its widest access to memory
#>  ...
#>  15 |             T.copy(x, B)
#>     |             ^^^^^^^^^^^^ for threads 64 to 127
#> help: keep data that all threads or several ranges use in shared memory (T.alloc_shared)
