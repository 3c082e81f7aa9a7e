# SPDX-License-Identifier: Apache-2.0
# Two tiles of sums, 128 registers each, for 128 threads.
import tilelang
import tilelang.language as T


@tilelang.jit(target="sm_90a")
def two(threads):
    @T.prim_func
    def f(A: T.Tensor((128, 256), "float16"), B: T.Tensor((128, 256), "float16"), C: T.Tensor((128, 128), "float16")):
        with T.Kernel(1, threads=threads):
            a = T.alloc_shared((128, 64), "float16")
            b = T.alloc_shared((128, 64), "float16")
            c = T.alloc_fragment((128, 128), "float32")
            d = T.alloc_fragment((128, 128), "float32")
            T.clear(c)
            T.clear(d)
            for k in T.Pipelined(4, num_stages=2):
                T.copy(A[0, k * 64], a)
                T.copy(B[0, k * 64], b)
                T.gemm(a, b, c, transpose_B=True)
                T.gemm(b, a, d, transpose_B=True)
            for i, j in T.Parallel(128, 128):
                c[i, j] += d[i, j]
            T.copy(c, C)
    return f


two.compile(256)
two.compile(128)
#> TilelabWarning: warning[registers-spilled]: register spilling: fragments take 256 registers of each thread here, but a thread has 255
#>   --> registers_spilled.py, line 23
#>  14 |             c = T.alloc_fragment((128, 128), "float32")
#>     |                 ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ 128 registers of a thread
#>  15 |             d = T.alloc_fragment((128, 128), "float32")
#>     |                 ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ 128 registers of a thread
#>  ...
#>  23 |             for i, j in T.Parallel(128, 128):
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: use twice the threads in T.Kernel, so that each holds half as much; or use smaller tiles, or write one of them where another is dead
