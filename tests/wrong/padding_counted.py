# SPDX-License-Identifier: Apache-2.0
# Rows of 100 in tiles of 128: a maximum with zeros in it, a softmax and a variance whose sums have
# something of them, scores of keys that do not exist. Right are sums of zeros, masks of each kind, a
# largest amount, and a maximum that is only taken off.
import tilelang
import tilelang.language as T

F32 = "float32"


def rows(work):
    @T.prim_func
    def main(A: T.Tensor((64, 100), F32), M: T.Tensor((128,), F32), B: T.Tensor((64,), F32)):
        with T.Kernel(4, threads=128) as bx:
            a, d = T.alloc_fragment((16, 128), F32), T.alloc_fragment((16, 128), F32)
            top, total = T.alloc_fragment((16,), F32), T.alloc_fragment((16,), F32)
            T.copy(A[bx * 16, 0], a)
            if work == "maximum":
                T.reduce_max(a, total, dim=1)
            elif work == "softmax":
                T.reduce_max(a, top, dim=1)
                for i, j in T.Parallel(16, 128):
                    a[i, j] = T.exp(a[i, j] - top[i])
                T.reduce_sum(a, total, dim=1)
            elif work == "masks":
                for i, j in T.Parallel(16, 128):
                    a[i, j] = T.if_then_else(j < 100, a[i, j], -T.infinity(F32))
                T.reduce_max(a, top, dim=1)
                for i, j in T.Parallel(16, 128):
                    d[i, j] = T.exp(a[i, j] - top[i])
                T.reduce_sum(d, total, dim=1)
            elif work == "mask of a tensor":
                T.reduce_max(a, top, dim=1)
                for i, j in T.Parallel(16, 128):
                    a[i, j] = T.exp(a[i, j] - top[i] + M[j])
                T.reduce_sum(a, total, dim=1)
            elif work == "mask by zero":
                T.reduce_max(a, top, dim=1)
                for i, j in T.Parallel(16, 128):
                    a[i, j] = T.exp(a[i, j] - top[i]) * T.if_then_else(j < 100, 1.0, 0.0)
                T.reduce_sum(a, total, dim=1)
            elif work == "amount":
                for i, j in T.Parallel(16, 128):
                    a[i, j] = T.abs(a[i, j]) * 0.5
                T.reduce_max(a, total, dim=1)
            T.copy(total, B[bx * 16])
    return main


@T.prim_func
def variance(A: T.Tensor((64, 100), F32), B: T.Tensor((64,), F32)):
    with T.Kernel(4, threads=128) as bx:
        a = T.alloc_fragment((16, 128), F32)
        mean, total = T.alloc_fragment((16,), F32), T.alloc_fragment((16,), F32)
        T.copy(A[bx * 16, 0], a)
        T.reduce_sum(a, mean, dim=1)
        for i, j in T.Parallel(16, 128):
            a[i, j] = (a[i, j] - mean[i] / 100) * (a[i, j] - mean[i] / 100)
        T.reduce_sum(a, total, dim=1)
        T.copy(total, B[bx * 16])


@T.prim_func
def scores(Q: T.Tensor((64, 64), "float16"), K: T.Tensor((100, 64), "float16"), B: T.Tensor((64,), F32)):
    with T.Kernel(1, threads=128):
        q, k = T.alloc_shared((64, 64), "float16"), T.alloc_shared((64, 64), "float16")
        s, total = T.alloc_fragment((64, 64), F32), T.alloc_fragment((64,), F32)
        T.copy(Q, q)
        T.clear(total)
        for j in T.serial(T.ceildiv(100, 64)):
            T.copy(K[j * 64, 0], k)
            T.clear(s)
            T.gemm(q, k, s, transpose_B=True)
            for i, c in T.Parallel(64, 64):
                s[i, c] = T.exp(s[i, c])
            T.reduce_sum(s, total, dim=1, clear=False)
        T.copy(total, B)


for work in "maximum", "softmax", "masks", "mask of a tensor", "mask by zero", "amount":
    tilelang.compile(rows(work))
tilelang.compile(variance)
tilelang.compile(scores)
#> TilelabWarning: warning[padding-in-reduction]: zeros from outside `A` count in this maximum
#>   --> padding_counted.py, line 19
#>  17 |             T.copy(A[bx * 16, 0], a)
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~ dimension 1 has 100 elements; this reads 0 to 127
#>  ...
#>  19 |                 T.reduce_max(a, total, dim=1)
#>     |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: replace them by a neutral value: T.if_then_else(index < extent, value, -T.infinity(...))
#> TilelabWarning: warning[padding-in-reduction]: zeros from outside `A` count in this sum
#>   --> padding_counted.py, line 24
#>  17 |             T.copy(A[bx * 16, 0], a)
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~ dimension 1 has 100 elements; this reads 0 to 127
#>  ...
#>  23 |                     a[i, j] = T.exp(a[i, j] - top[i])
#>     |                     ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ is not 0 there
#>  24 |                 T.reduce_sum(a, total, dim=1)
#>     |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: replace them by a neutral value: T.if_then_else(index < extent, value, 0)
#> TilelabWarning: warning[padding-in-reduction]: zeros from outside `A` count in this sum
#>   --> padding_counted.py, line 59
#>  55 |         T.copy(A[bx * 16, 0], a)
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~ dimension 1 has 100 elements; this reads 0 to 127
#>  ...
#>  58 |             a[i, j] = (a[i, j] - mean[i] / 100) * (a[i, j] - mean[i] / 100)
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ is not 0 there
#>  59 |         T.reduce_sum(a, total, dim=1)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: replace them by a neutral value: T.if_then_else(index < extent, value, 0)
#> TilelabWarning: warning[padding-in-reduction]: zeros from outside `K` count in this sum
#>   --> padding_counted.py, line 76
#>  71 |             T.copy(K[j * 64, 0], k)
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~ dimension 0 has 100 elements; this reads 64 to 127
#>  ...
#>  75 |                 s[i, c] = T.exp(s[i, c])
#>     |                 ~~~~~~~~~~~~~~~~~~~~~~~~ is not 0 there
#>  76 |             T.reduce_sum(s, total, dim=1, clear=False)
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: replace them by a neutral value: T.if_then_else(index < extent, value, 0)
