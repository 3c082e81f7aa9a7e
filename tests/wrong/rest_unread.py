# SPDX-License-Identifier: Apache-2.0
# 100 // 32 iterations of 32 columns.
import tilelang
import tilelang.language as T


@T.prim_func
def f(A: T.Tensor((64, 100), "float16"), B: T.Tensor((100, 64), "float16"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=128):
        a = T.alloc_shared((64, 32), "float16")
        b = T.alloc_shared((32, 64), "float16")
        c = T.alloc_fragment((64, 64), "float32")
        T.clear(c)
        for k in T.Pipelined(100 // 32, num_stages=2):
            T.copy(A[0, k * 32], a)
            T.copy(B[k * 32, 0], b)
            T.gemm(a, b, c)
        T.copy(c, C)


tilelang.compile(f)
#> TilelabWarning: warning[unread-elements]: nothing reads `A[:, 96:100]`
#>   --> rest_unread.py, line 15
#>  14 |         for k in T.Pipelined(100 // 32, num_stages=2):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ the 3 iterations over k
#>  15 |             T.copy(A[0, k * 32], a)
#>     |                    ^^^^^^^^^^^^ the last block of 32 ends at 96 of 100
#> help: T.ceildiv(100, 32) iterations read all of it: past its end they read 0
#> TilelabWarning: warning[unread-elements]: nothing reads `B[96:100, :]`
#>   --> rest_unread.py, line 16
#>  14 |         for k in T.Pipelined(100 // 32, num_stages=2):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ the 3 iterations over k
#>  ...
#>  16 |             T.copy(B[k * 32, 0], b)
#>     |                    ^^^^^^^^^^^^ the last block of 32 ends at 96 of 100
#> help: T.ceildiv(100, 32) iterations read all of it: past its end they read 0
