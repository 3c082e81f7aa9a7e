# SPDX-License-Identifier: Apache-2.0
"""A buffer of pairs of bfloat16."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((32, 4), "bfloat16")):
    with T.Kernel(1, threads=32) as bx:
        m = T.alloc_local((2,), T.bfloat16x2)


tilelang.compile(main)
#> CompileError: error[dtype-unsupported]: dtype bfloat16x2 is not supported yet
#>   --> dtype_of_pairs.py, line 10
#>  10 |         m = T.alloc_local((2,), T.bfloat16x2)
#>     |                                 ^^^^^^^^^^^^
#> help: use scalar elements: the same number of times more bfloat16; T.vectorized and T.copy make wide accesses
