# SPDX-License-Identifier: Apache-2.0
# Updates of one element by several iterations without atomics: a histogram, rows that are added where
# an index says, a maximum, sums of neighbours; and a store by several with separate values. Correct
# are atomics, counts of an iteration's own, a permutation, and one value for all.
import numpy
import tilelang
import tilelang.language as T

F32, I32 = "float32", "int32"


@T.prim_func
def histogram(X: T.Tensor((1024,), I32), H: T.Tensor((16,), I32)):
    with T.Kernel(8, threads=128) as bx:
        h = T.alloc_shared((16,), I32)
        T.clear(h)
        for i in T.Parallel(128):
            x = X[bx * 128 + i]
            if x >= 0 and x < 16:
                h[x] += 1
        for i in T.Parallel(16):
            T.atomic_add(H[i], h[i])


@T.prim_func
def scattered(X: T.Tensor((64, 32), F32), where: T.Tensor((64,), I32), G: T.Tensor((99, 32), F32), M: T.Tensor((99,), F32)):
    with T.Kernel(1, threads=128):
        for i, j in T.Parallel(64, 32):
            G[where[i], j] = G[where[i], j] + X[i, j]
        for i in T.Parallel(64):
            M[where[i]] = T.max(M[where[i]], X[i, 0])


@T.prim_func
def neighbours(X: T.Tensor((64,), F32), Y: T.Tensor((16,), F32), Z: T.Tensor((16,), F32)):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            Y[i // 4] = Y[i // 4] + X[i]
        for i in T.Parallel(64):
            Z[i % 16] = X[i]


@T.prim_func
def right(X: T.Tensor((64,), I32), C: T.Tensor((64,), I32), H: T.Tensor((16,), I32), S: T.Tensor((99, 32), F32), F: T.Tensor((16,), I32)):
    with T.Kernel(1, threads=64):
        h = T.alloc_shared((64, 16), I32)
        T.clear(h)
        for i in T.Parallel(64):
            h[i, X[i]] = h[i, X[i]] + 1
        for i in T.Parallel(64):
            T.atomic_add(H[X[i]], 1)
        for i in T.Parallel(64):
            if C[i] > 0:
                H[X[i]] = H[X[i]] + C[i]
        for i, j in T.Parallel(16, 32):
            S[X[i], j] = S[X[i], j] * 0.5 + 1.0
        for i in T.Parallel(64):
            F[i // 4] = 1
            h[i // 4, 0] = C[i // 4]
        for i in T.Parallel(16):
            H[i] += h[i, 0] + F[i]


indices = numpy.arange(1024, dtype=I32) % 16
tilelang.compile(histogram)(indices, numpy.zeros(16, I32))
rows = numpy.arange(2048, dtype=F32).reshape(64, 32)
tilelang.compile(scattered)(rows, indices[:64], numpy.zeros((99, 32), F32), numpy.zeros(99, F32))
tilelang.compile(neighbours)
sums = [numpy.zeros(shape, dtype) for shape, dtype in ((64, I32), (16, I32), ((99, 32), F32), (16, I32))]
tilelang.compile(right)(indices[:64], *sums)
#> TilelabWarning: warning[non-atomic-update]: lost updates: iterations update `h[0]` without atomics
#>   --> update_lost.py, line 20
#>  17 |         for i in T.Parallel(128):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~~ the iterations run in parallel
#>  ...
#>  20 |                 h[x] += 1
#>     |                 ^^^^^^^^^ more than one iteration reads it, iteration i = 0 writes it
#> help: update it with T.atomic_add or another atomic, or make the loop serial
#> TilelabWarning: warning[non-atomic-update]: lost updates: iterations update `G[0, 0]` without atomics
#>   --> update_lost.py, line 29
#>  28 |         for i, j in T.Parallel(64, 32):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ the iterations run in parallel
#>  29 |             G[where[i], j] = G[where[i], j] + X[i, j]
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ iteration i = 0, j = 0 writes it, iteration i = 16, j = 0 reads it
#> help: update it with T.atomic_add or another atomic, or make the loop serial
#> TilelabWarning: warning[non-atomic-update]: lost updates: iterations update `M[0]` without atomics
#>   --> update_lost.py, line 31
#>  30 |         for i in T.Parallel(64):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~ the iterations run in parallel
#>  31 |             M[where[i]] = T.max(M[where[i]], X[i, 0])
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ more than one iteration reads it, iteration i = 0 writes it
#> help: update it with T.atomic_add or another atomic, or make the loop serial
#> TilelabWarning: warning[non-atomic-update]: lost updates: iterations update `Y[0]` without atomics
#>   --> update_lost.py, line 38
#>  37 |         for i in T.Parallel(64):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~ the iterations run in parallel
#>  38 |             Y[i // 4] = Y[i // 4] + X[i]
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ more than one iteration reads it, iteration i = 0 writes it
#> help: update it with T.atomic_add or another atomic, or make the loop serial
#> TilelabWarning: warning[parallel-same-element]: iterations of this T.Parallel write the same element of `Z`
#>   --> update_lost.py, line 40
#>  39 |         for i in T.Parallel(64):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~ the iterations run in parallel
#>  40 |             Z[i % 16] = X[i]
#>     |             ^^^^^^^^^^^^^^^^ iteration i = 0 writes it, iteration i = 16 writes it
#> help: let each iteration write separate elements; sum over iterations with T.reduce_* or T.atomic_add
