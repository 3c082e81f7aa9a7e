# SPDX-License-Identifier: Apache-2.0
# One iteration reads what another writes: a transpose, a shift and a sum over neighbours in place, a
# tile that is read by another index in the loop that fills it. Right are pairs that are exchanged by
# one of them, disjoint halves, and accesses that conditions keep disjoint.
import tilelang
import tilelang.language as T

F32 = "float32"
n = T.dynamic("n")


@T.prim_func
def transposed(A: T.Tensor((32, 32), F32)):
    with T.Kernel(1, threads=128):
        for i, j in T.Parallel(32, 32):
            A[i, j] = A[j, i]


@T.prim_func
def shifted(A: T.Tensor((n,), F32)):
    with T.Kernel(T.ceildiv(n, 128), threads=128) as bx:
        for i in T.Parallel(128):
            k = bx * 128 + i
            if k + 1 < n:
                A[k] = A[k + 1]


@T.prim_func
def summed(A: T.Tensor((128,), F32), B: T.Tensor((128,), F32)):
    with T.Kernel(1, threads=128):
        s = T.alloc_shared((128,), F32)
        T.copy(A, s)
        for d in T.serial(7):
            for i in T.Parallel(128):
                if i >= 1 << d:
                    s[i] += s[i - (1 << d)]
        T.copy(s, B)


@T.prim_func
def reversed_tile(A: T.Tensor((128,), F32), B: T.Tensor((128,), F32)):
    with T.Kernel(1, threads=128):
        s = T.alloc_shared((128,), F32)
        for i in T.Parallel(128):
            s[i] = A[i] * 2
            B[i] = s[127 - i]


@T.prim_func
def right(A: T.Tensor((32, 32), F32), B: T.Tensor((128,), F32), C: T.Tensor((64,), F32)):
    with T.Kernel(1, threads=128):
        s = T.alloc_shared((128,), F32)
        for i, j in T.Parallel(32, 32):
            if i < j:
                upper = A[i, j]
                A[i, j] = A[j, i]
                A[j, i] = upper
        T.copy(B, s)
        for d in T.serial(6):
            for i in T.Parallel(128):
                if i < 64 >> d:
                    s[i] = s[i] + s[i + (64 >> d)]
        for k in T.serial(64):
            for i in T.Parallel(32):
                left = 2 * i + k % 2
                if left + 1 < 64:
                    if C[left] > C[left + 1]:
                        larger = C[left]
                        C[left] = C[left + 1]
                        C[left + 1] = larger
        T.copy(s, B)


for f in transposed, shifted, summed, reversed_tile, right:
    tilelang.compile(f)
#> TilelabWarning: warning[parallel-read-write-race]: data race between iterations: one writes `A[0, 1]`, another one reads it
#>   --> parallel_read_write_race.py, line 16
#>  15 |         for i, j in T.Parallel(32, 32):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ the iterations run in parallel
#>  16 |             A[i, j] = A[j, i]
#>     |             ^^^^^^^^^^^^^^^^^ iteration i = 1, j = 0 reads it, iteration i = 0, j = 1 writes it
#> help: write to another buffer, or read the values in a T.Parallel before this one
#> TilelabWarning: warning[parallel-read-write-race]: data race between iterations: one writes `A[1]`, another one reads it
#>   --> parallel_read_write_race.py, line 25
#>  22 |         for i in T.Parallel(128):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~~ the iterations run in parallel
#>  ...
#>  25 |                 A[k] = A[k + 1]
#>     |                 ^^^^^^^^^^^^^^^ iteration i = 0 reads it, iteration i = 1 writes it
#> help: write to another buffer, or read the values in a T.Parallel before this one
#> TilelabWarning: warning[parallel-read-write-race]: data race between iterations: one writes `s[1]`, another one reads it
#>   --> parallel_read_write_race.py, line 36
#>  34 |             for i in T.Parallel(128):
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~ the iterations run in parallel
#>  ...
#>  36 |                     s[i] += s[i - (1 << d)]
#>     |                     ^^^^^^^^^^^^^^^^^^^^^^^ more than one iteration reads it, iteration i = 1 writes it
#> help: write to another buffer, or read the values in a T.Parallel before this one
#> TilelabWarning: warning[parallel-read-write-race]: data race between iterations: one writes `s[127]`, another one reads it
#>   --> parallel_read_write_race.py, line 46
#>  44 |         for i in T.Parallel(128):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~~ the iterations run in parallel
#>  45 |             s[i] = A[i] * 2
#>     |             ~~~~~~~~~~~~~~~ iteration i = 127 writes it
#>  46 |             B[i] = s[127 - i]
#>     |             ^^^^^^^^^^^^^^^^^ iteration i = 0 reads it
#> help: write to another buffer, or read the values in a T.Parallel before this one
