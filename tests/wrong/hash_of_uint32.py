# SPDX-License-Identifier: Apache-2.0
"""A step of murmur3: the constant makes it int64, so the shift reads bits beyond 2^32."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "uint32"), B: T.Tensor((64,), "uint32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            h = A[i] * 0x85EBCA6B
            B[i] = h ^ (h >> 13)
#> TilelabWarning: warning[literal-widens]: int64 arithmetic on a uint32 value: 2246822507 is not an int32
#>   --> hash_of_uint32.py, line 11
#>  11 |             h = A[i] * 0x85EBCA6B
#>     |                 ^^^^^^^^^^^^^^^^^
#> help: write T.uint32(2246822507), or convert the value to int64
