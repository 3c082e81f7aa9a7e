# SPDX-License-Identifier: Apache-2.0
# Square grids, where a block index can replace another: a factor that is loaded by the wrong one, `k`
# for `k * 32`, a forgotten transpose, of a factor and of a tile. Right are a product of transposed
# factors, rows of which another axis chooses a part, and tiles that are transposed on their way.
import tilelang
import tilelang.language as T

F16 = "float16"


def product(rows, steps, transposed):
    @T.prim_func
    def main(A: T.Tensor((64, 64), F16), B: T.Tensor((64, 64), F16), C: T.Tensor((64, 64), "float32")):
        with T.Kernel(2, 2, threads=128) as (bx, by):
            a, b = T.alloc_shared((32, 32), F16), T.alloc_shared((32, 32), F16)
            c = T.alloc_fragment((32, 32), "float32")
            T.clear(c)
            for k in T.serial(2):
                T.copy(A[bx * 32 if rows else by * 32, k * 32], a)
                T.copy(B[k * steps, bx * 32], b)
                T.gemm(a, b, c, transpose_B=transposed)
            T.copy(c, C[by * 32, bx * 32])
    return main


@T.prim_func
def turned(A: T.Tensor((64, 64), F16), C: T.Tensor((64, 64), F16)):
    with T.Kernel(2, 2, threads=128) as (bx, by):
        a, t = T.alloc_shared((32, 32), F16), T.alloc_shared((32, 32), F16)
        T.copy(A[by * 32, bx * 32], a)
        for i, j in T.Parallel(32, 32):
            t[i, j] = a[i, j]
        T.copy(t, C[bx * 32, by * 32])


@T.prim_func
def right(A: T.Tensor((64, 64), F16), B: T.Tensor((64, 64), F16), C: T.Tensor((64, 64), F16), D: T.Tensor((256, 64), F16)):
    with T.Kernel(2, 2, 2, threads=128) as (bx, by, bz):
        a, b, t = T.alloc_shared((32, 32), F16), T.alloc_shared((32, 32), F16), T.alloc_shared((32, 32), F16)
        c = T.alloc_fragment((32, 32), "float32")
        T.clear(c)
        for k in T.serial(2):
            T.copy(A[k * 32, by * 32], a)
            T.copy(B[bx * 32, k * 32], b)
            T.gemm(a, b, c, transpose_A=True, transpose_B=True)
        for i, j in T.Parallel(32, 32):
            t[j, i] = c[i, j]
        T.copy(t, C[bx * 32, by * 32])
        T.copy(c, D[bz * 128 + by * 32, bx * 32])


for f in product(True, 32, False), product(False, 1, False), product(False, 32, True), turned, product(False, 32, False), right:
    tilelang.compile(f)
#> TilelabWarning: warning[mismatched-tile-index]: index mismatch: dimension 0 of `A` at `bx * 32` goes to dimension 0 of `C` at `by * 32`
#>   --> mismatched_tile_index.py, line 22
#>  19 |                 T.copy(A[bx * 32 if rows else by * 32, k * 32], a)
#>     |                        ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#>  ...
#>  22 |             T.copy(c, C[by * 32, bx * 32])
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: an element of `c` belongs to the row and the column it was computed from: load and store it by one index, or transpose the tile in between
#> TilelabWarning: warning[unread-elements]: nothing reads `B[33:64, :]`
#>   --> mismatched_tile_index.py, line 20
#>  18 |             for k in T.serial(2):
#>     |             ~~~~~~~~~~~~~~~~~~~~~ the 2 iterations over k are 1 apart and read 32 each
#>  ...
#>  20 |                 T.copy(B[k * steps, bx * 32], b)
#>     |                        ^^^^^^^^^^^^^^^^^^^^^
#> help: start each after the previous one: k * 32 in place of k
#> TilelabWarning: warning[mismatched-tile-index]: index mismatch: dimension 1 of `A` at `k * 32` is summed with dimension 0 of `B` at `k`
#>   --> mismatched_tile_index.py, line 21
#>  19 |                 T.copy(A[bx * 32 if rows else by * 32, k * 32], a)
#>     |                        ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#>  20 |                 T.copy(B[k * steps, bx * 32], b)
#>     |                        ~~~~~~~~~~~~~~~~~~~~~
#>  21 |                 T.gemm(a, b, c, transpose_B=transposed)
#>     |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: load both operands by the same index along the dimension that is summed over
#> TilelabWarning: warning[mismatched-tile-index]: index mismatch: dimension 1 of `A` at `k * 32` is summed with dimension 1 of `B` at `bx * 32`
#>   --> mismatched_tile_index.py, line 21
#>  19 |                 T.copy(A[bx * 32 if rows else by * 32, k * 32], a)
#>     |                        ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#>  20 |                 T.copy(B[k * steps, bx * 32], b)
#>     |                        ~~~~~~~~~~~~~~~~~~~~~
#>  21 |                 T.gemm(a, b, c, transpose_B=transposed)
#>     |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: load both operands by the same index along the dimension that is summed over
#> TilelabWarning: warning[mismatched-tile-index]: index mismatch: dimension 0 of `B` at `k * 32` goes to dimension 1 of `C` at `bx * 32`
#>   --> mismatched_tile_index.py, line 22
#>  20 |                 T.copy(B[k * steps, bx * 32], b)
#>     |                        ~~~~~~~~~~~~~~~~~~~~~
#>  ...
#>  22 |             T.copy(c, C[by * 32, bx * 32])
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: an element of `c` belongs to the row and the column it was computed from: load and store it by one index, or transpose the tile in between
#> TilelabWarning: warning[mismatched-tile-index]: index mismatch: dimension 0 of `A` at `by * 32` goes to dimension 0 of `C` at `bx * 32`
#>   --> mismatched_tile_index.py, line 33
#>  30 |         T.copy(A[by * 32, bx * 32], a)
#>     |                ~~~~~~~~~~~~~~~~~~~
#>  ...
#>  33 |         T.copy(t, C[bx * 32, by * 32])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: an element of `t` belongs to the row and the column it was computed from: load and store it by one index, or transpose the tile in between
#> TilelabWarning: warning[mismatched-tile-index]: index mismatch: dimension 1 of `A` at `bx * 32` goes to dimension 1 of `C` at `by * 32`
#>   --> mismatched_tile_index.py, line 33
#>  30 |         T.copy(A[by * 32, bx * 32], a)
#>     |                ~~~~~~~~~~~~~~~~~~~
#>  ...
#>  33 |         T.copy(t, C[bx * 32, by * 32])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: an element of `t` belongs to the row and the column it was computed from: load and store it by one index, or transpose the tile in between
