# SPDX-License-Identifier: Apache-2.0
# `k` for `k * 32`, a loop that begins at 1, one over M in place of K, a block index that is missing.
# Correct are windows that overlap, a first block that is read before its loop, and a tensor that
# has room for more than is read.
import tilelang
import tilelang.language as T

F16 = "float16"


def product(columns, rows, first, last):
    @T.prim_func
    def main(A: T.Tensor((64, 128), F16), B: T.Tensor((128, 64), F16), C: T.Tensor((64, 64), "float32")):
        with T.Kernel(2, threads=128) as bx:
            a = T.alloc_shared((32, 32), F16)
            b = T.alloc_shared((32, 64), F16)
            c = T.alloc_fragment((32, 64), "float32")
            T.clear(c)
            for k in T.serial(first, last):
                T.copy(A[bx * rows, k * columns], a)
                T.copy(B[k * 32, 0], b)
                T.gemm(a, b, c)
            T.copy(c, C[bx * 32, 0])
    return main


@T.prim_func
def right(X: T.Tensor((130,), "float32"), W: T.Tensor((256,), "float32"), Y: T.Tensor((128,), "float32")):
    with T.Kernel(4, threads=32) as bx:
        x = T.alloc_shared((34,), "float32")
        w = T.alloc_shared((32,), "float32")
        y = T.alloc_fragment((32,), "float32")
        T.copy(X[bx * 32:bx * 32 + 34], x)
        T.copy(W[0:32], w)
        for i in T.Parallel(32):
            y[i] = (x[i] + x[i + 1] + x[i + 2]) * w[i]
        for k in T.serial(1, 3):
            T.copy(W[k * 32:k * 32 + 32], w)
            for i in T.Parallel(32):
                y[i] += w[i]
        for q in T.serial(4):
            for i in T.Parallel(32):
                y[i] += W[bx * 32 + i + q]
        T.copy(y, Y[bx * 32])


for f in product(1, 32, 0, 4), product(32, 32, 1, 4), product(32, 32, 0, 2), product(32, 0, 0, 4), product(32, 32, 0, 4), right:
    tilelang.compile(f)
#> TilelabWarning: warning[unread-elements]: nothing reads `A[:, 35:128]`
#>   --> steps_of_tiles.py, line 20
#>  19 |             for k in T.serial(first, last):
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ the 4 iterations over k are 1 apart and read 32 each
#>  20 |                 T.copy(A[bx * rows, k * columns], a)
#>     |                        ^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: start each after the previous one: k * 32 in place of k
#> TilelabWarning: warning[mismatched-tile-index]: index mismatch: dimension 1 of `A` at `k` is summed with dimension 0 of `B` at `k * 32`
#>   --> steps_of_tiles.py, line 22
#>  20 |                 T.copy(A[bx * rows, k * columns], a)
#>     |                        ~~~~~~~~~~~~~~~~~~~~~~~~~
#>  21 |                 T.copy(B[k * 32, 0], b)
#>     |                        ~~~~~~~~~~~~
#>  22 |                 T.gemm(a, b, c)
#>     |                 ^^^^^^^^^^^^^^^
#> help: load both operands by the same index along the dimension that is summed over
#> TilelabWarning: warning[unread-elements]: nothing reads `A[:, 0:32]`
#>   --> steps_of_tiles.py, line 20
#>  19 |             for k in T.serial(first, last):
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ k starts at 1
#>  20 |                 T.copy(A[bx * rows, k * columns], a)
#>     |                        ^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: start the loop at 0, or read the elements before it separately
#> TilelabWarning: warning[unread-elements]: nothing reads `B[0:32, :]`
#>   --> steps_of_tiles.py, line 21
#>  19 |             for k in T.serial(first, last):
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ k starts at 1
#>  ...
#>  21 |                 T.copy(B[k * 32, 0], b)
#>     |                        ^^^^^^^^^^^^
#> help: start the loop at 0, or read the elements before it separately
#> TilelabWarning: warning[unread-elements]: nothing reads `A[:, 64:128]`
#>   --> steps_of_tiles.py, line 20
#>  19 |             for k in T.serial(first, last):
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ the 2 iterations over k
#>  20 |                 T.copy(A[bx * rows, k * columns], a)
#>     |                        ^^^^^^^^^^^^^^^^^^^^^^^^^ the last block of 32 ends at 64 of 128
#> help: T.ceildiv(128, 32) iterations read all of it: past its end they read 0
#> TilelabWarning: warning[unread-elements]: nothing reads `B[64:128, :]`
#>   --> steps_of_tiles.py, line 21
#>  19 |             for k in T.serial(first, last):
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ the 2 iterations over k
#>  ...
#>  21 |                 T.copy(B[k * 32, 0], b)
#>     |                        ^^^^^^^^^^^^ the last block of 32 ends at 64 of 128
#> help: T.ceildiv(128, 32) iterations read all of it: past its end they read 0
#> TilelabWarning: warning[unread-elements]: nothing reads `A[32:64, :]`
#>   --> steps_of_tiles.py, line 20
#>  14 |         with T.Kernel(2, threads=128) as bx:
#>     |              ~~~~~~~~~~~~~~~~~~~~~~~~ the 2 blocks along bx read all of it, 32 each
#>  ...
#>  20 |                 T.copy(A[bx * rows, k * columns], a)
#>     |                        ^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: `bx` is missing in the index: bx * 32
