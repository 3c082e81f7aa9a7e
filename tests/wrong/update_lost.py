# SPDX-License-Identifier: Apache-2.0
# Updates of one element by several iterations without atomics: a histogram, rows that are added where
# an index says, a maximum, sums of neighbours; and a store by several with values of their own. Right
# are atomics, counts of an iteration's own, states in slots, and one value for all.
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
        for i, j in T.Parallel(64, 32):
            S[X[i], j] = S[X[i], j] * 0.5 + 1.0
        for i, j in T.Parallel(64, 32):
            S[X[i] + j, 0] = S[X[i] + j, 0] + 1.0
        for i in T.Parallel(64):
            F[i // 4] = 1
            h[i // 4, 0] = C[i // 4]
        for i in T.Parallel(16):
            H[i] += h[i, 0] + F[i]


for f in histogram, scattered, neighbours, right:
    tilelang.compile(f)
#> TilelabWarning: warning[update-lost]: iterations of this T.Parallel may update the same element of `h` at once
#>   --> update_lost.py, line 19
#>  16 |         for i in T.Parallel(128):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~~ its iterations run at once
#>  ...
#>  19 |                 h[x] += 1
#>     |                 ^^^^^^^^^ iterations may choose one element
#> help: T.atomic_add updates an element for all of them; or make the loop serial
#> TilelabWarning: warning[update-lost]: iterations of this T.Parallel may update the same element of `G` at once
#>   --> update_lost.py, line 28
#>  27 |         for i, j in T.Parallel(64, 32):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ its iterations run at once
#>  28 |             G[where[i], j] = G[where[i], j] + X[i, j]
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ iterations may choose one element
#> help: T.atomic_add updates an element for all of them; or make the loop serial
#> TilelabWarning: warning[update-lost]: iterations of this T.Parallel may update the same element of `M` at once
#>   --> update_lost.py, line 30
#>  29 |         for i in T.Parallel(64):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~ its iterations run at once
#>  30 |             M[where[i]] = T.max(M[where[i]], X[i, 0])
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ iterations may choose one element
#> help: T.atomic_max updates an element for all of them; or make the loop serial
#> TilelabWarning: warning[update-lost]: iterations of this T.Parallel may update the same element of `Y` at once
#>   --> update_lost.py, line 37
#>  36 |         for i in T.Parallel(64):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~ its iterations run at once
#>  37 |             Y[i // 4] = Y[i // 4] + X[i]
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ iteration 0 and iteration 1 both update Y[0]
#> help: T.atomic_add updates an element for all of them; or make the loop serial
#> TilelabWarning: warning[parallel-same-element]: iterations of this T.Parallel write the same element of `Z`
#>   --> update_lost.py, line 39
#>  38 |         for i in T.Parallel(64):
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~
#>  39 |             Z[i % 16] = X[i]
#>     |             ^^^^^^^^^^^^^^^^ iteration 0 and iteration 16 both write Z[0]
#> help: give each iteration elements of its own; sums over iterations are made by T.reduce_* or T.atomic_add
