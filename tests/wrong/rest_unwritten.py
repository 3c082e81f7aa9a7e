# SPDX-License-Identifier: Apache-2.0
# 1000 // 128 blocks; iterations that stop before the last column; blocks that write half of their part; and a
# condition that leaves out the last element.
import tilelang
import tilelang.language as T


@T.prim_func
def rounded(A: T.Tensor((1000,), "float32"), B: T.Tensor((1000,), "float32")):
    with T.Kernel(1000 // 128, threads=128) as bx:
        for i in T.Parallel(128):
            B[bx * 128 + i] = A[bx * 128 + i] * 2.0


@T.prim_func
def columns(A: T.Tensor((64, 100), "int32"), B: T.Tensor((64, 100), "int32")):
    with T.Kernel(4, threads=128) as bx:
        row = bx * 16
        for k in T.serial(100 // 32):
            for i, j in T.Parallel(16, 32):
                B[row + i, k * 32 + j] = A[row + i, k * 32 + j] + 1


@T.prim_func
def half(A: T.Tensor((1000,), "float32"), B: T.Tensor((1000,), "float32")):
    with T.Kernel(8, threads=128) as bx:
        for i in T.Parallel(64):
            B[bx * 128 + i] = A[bx * 128 + i] * 2.0


@T.prim_func
def last(A: T.Tensor((1000,), "float32"), B: T.Tensor((1000,), "float32")):
    with T.Kernel(8, threads=128) as bx:
        for i in T.Parallel(128):
            if bx * 128 + i < 999:
                B[bx * 128 + i] = A[bx * 128 + i] * 2.0


tilelang.compile(rounded)
tilelang.compile(columns)
tilelang.compile(half, out_idx=[1])
tilelang.compile(last, out_idx=[1])
#> TilelabWarning: warning[unwritten-elements]: nothing writes `B[896:1000]`
#>   --> rest_unwritten.py, line 12
#>  10 |     with T.Kernel(1000 // 128, threads=128) as bx:
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ the 7 blocks along bx cover 896 of 1000, 128 each
#>  ...
#>  12 |             B[bx * 128 + i] = A[bx * 128 + i] * 2.0
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: T.ceildiv(1000, 128) blocks write all of it: stores past its end are dropped
#> TilelabWarning: warning[unwritten-elements]: nothing writes `B[:, 96:100]`
#>   --> rest_unwritten.py, line 21
#>  19 |         for k in T.serial(100 // 32):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ the 3 iterations over k cover 96 of 100, 32 each
#>  ...
#>  21 |                 B[row + i, k * 32 + j] = A[row + i, k * 32 + j] + 1
#>     |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: T.ceildiv(100, 32) iterations write all of it: stores past its end are dropped
#> TilelabWarning: warning[unwritten-elements]: nothing writes `B[64:128]`
#>   --> rest_unwritten.py, line 28
#>  26 |     with T.Kernel(8, threads=128) as bx:
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~~ the 8 blocks along bx are 128 apart and write 64 each
#>  ...
#>  28 |             B[bx * 128 + i] = A[bx * 128 + i] * 2.0
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: let each write 128, or place them 64 apart
#> TilelabWarning: warning[unwritten-elements]: nothing writes `B[999:1000]`
#>   --> rest_unwritten.py, line 36
#>  36 |                 B[bx * 128 + i] = A[bx * 128 + i] * 2.0
#>     |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ ends at 999 of 1000
#> help: unwritten elements keep their old values: write all of `B`, or make it smaller
