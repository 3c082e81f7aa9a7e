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


tilelang.compile(main)
tilelang.compile(meant)
#> TilelabWarning: warning[fragment-extended]: fragment `sink` has 8 elements along dimension 0, but loops use 64
#>   --> fragment_extended.py, line 12
#>  10 |         sink = T.alloc_fragment((8,), "float32")
#>     |                ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ allocated here
#>  ...
#>  12 |             sink[i] = A[0]
#>     |             ^^^^^^^^^^^^^^
#> help: allocate 64 elements; T.allow("fragment-extended") says that this is meant
