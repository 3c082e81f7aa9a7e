# SPDX-License-Identifier: Apache-2.0
"""Outside wherever the condition holds."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), n: T.int32):
    with T.Kernel(1, threads=64) as bx:
        s = T.alloc_shared((64,), "float32")
        T.clear(s)
        for i in T.Parallel(64):
            if i < n:
                s[i + 64] = 1.0
            if i > 100:
                s[i + 64] = 1.0
            A[i] = T.if_then_else(n > 5, s[i + 64], s[i])


tilelang.compile(main).get_kernel_source()
#> TilelabWarning: warning[out-of-bounds]: index 64 or more of `s` is out of bounds where this line runs: dimension 0 has 64 elements
#>   --> index_outside_under_a_condition.py, line 14
#>  10 |         s = T.alloc_shared((64,), "float32")
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ allocated here
#>  ...
#>  14 |                 s[i + 64] = 1.0
#>     |                 ^^^^^^^^^^^^^^^
#> help: valid indices are 0 to 63
#> TilelabWarning: warning[out-of-bounds]: index 64 or more of `s` is out of bounds where this line runs: dimension 0 has 64 elements
#>   --> index_outside_under_a_condition.py, line 17
#>  10 |         s = T.alloc_shared((64,), "float32")
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ allocated here
#>  ...
#>  17 |             A[i] = T.if_then_else(n > 5, s[i + 64], s[i])
#>     |                                          ^^^^^^^^^
#> help: valid indices are 0 to 63
