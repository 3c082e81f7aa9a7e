# SPDX-License-Identifier: Apache-2.0
"""A fragment of fewer elements than the loops that use it have iterations."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        sink = T.alloc_fragment((8,), "float32")
        for i in T.Parallel(64):
            sink[i] = A[0]
        for i in T.Parallel(64):
            B[i] = A[i] + sink[i]


@T.prim_func
def meant(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    T.allow("fragment-extended")
    with T.Kernel(1, threads=64):
        sink = T.alloc_fragment((8,), "float32")
        for i in T.Parallel(64):
            sink[i] = A[0]
        for i in T.Parallel(64):
            B[i] = A[i] + sink[i]


@T.prim_func
def within(A: T.Tensor((64, 64), "float32"), B: T.Tensor((8, 64), "float32")):
    with T.Kernel(1, threads=64):
        sums = T.alloc_fragment((8, 64), "float32")
        for i, j in T.Parallel(64, 64):
            A[i, j] = 0
        for i in T.serial(8):
            for c in T.Parallel(64):
                sums[i, c] = 1
                for j in T.serial(i):  # another j, below 8
                    sums[i, c] += sums[j, c]
        for i, j in T.Parallel(8, 64):
            B[i, j] = sums[i, j]


tilelang.compile(main)
tilelang.compile(meant)
tilelang.compile(within)
#> TilelabWarning: warning[fragment-extended]: fragment `sink` has 8 elements along dimension 0, but loops use 64
#>   --> fragment_extended.py, line 12
#>  10 |         sink = T.alloc_fragment((8,), "float32")
#>     |                ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ allocated here
#>  ...
#>  12 |             sink[i] = A[0]
#>     |             ^^^^^^^^^^^^^^
#> help: allocate 64 elements; T.allow("fragment-extended") says that this is meant
