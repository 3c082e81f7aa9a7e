# SPDX-License-Identifier: Apache-2.0
"""Vectors where a scalar dtype, scalar elements or another length are needed."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((32, 4), T.bfloat16x2), B: T.Tensor((32,), "float32")):
    with T.Kernel(1, threads=32) as bx:
        f = T.alloc_fragment((32, 4), T.bfloat16x2)
        r = T.alloc_fragment((32,), "float32")
        T.copy(A, f)
        T.reduce_max(f, r, dim=1)
        B[0] = T.infinity("bfloat16x2")
        B[1] = T.extract_lane(A[0, 0], 2)
        B[2] = T.extract_lane(B[0], 0)
        A[0, 0] = T.bfloat16x2(1, 2, 3)
        A[0, 0, 1] = 1


tilelang.compile(main)
#> CompileError: error[vector-operand]: this operation takes scalar elements, not bfloat16x2
#>   --> vector_dtypes.py, line 13
#>  10 |         f = T.alloc_fragment((32, 4), T.bfloat16x2)
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ `f`, a fragment buffer of 32x4 bfloat16x2
#>  ...
#>  13 |         T.reduce_max(f, r, dim=1)
#>     |                      ^
#> help: use a view of its elements: T.view(f, (..., 2), "bfloat16")
#>
#> error[vector-dtype]: a vector dtype, bfloat16x2, is not accepted here
#>   --> vector_dtypes.py, line 14
#>  14 |         B[0] = T.infinity("bfloat16x2")
#>     |                           ^^^^^^^^^^^^
#> help: use the dtype of its elements: bfloat16
#>
#> error[index-static]: lane 2 of bfloat16x2
#>   --> vector_dtypes.py, line 15
#>  15 |         B[1] = T.extract_lane(A[0, 0], 2)
#>     |                                        ^
#> help: use lanes from 0 to 1
#>
#> error[operator-type]: `T.extract_lane` is not defined for float32
#>   --> vector_dtypes.py, line 16
#>  16 |         B[2] = T.extract_lane(B[0], 0)
#>     |                ^^^^^^^^^^^^^^^^^^^^^^^
#> help: pass a vector, such as T.bfloat16x2(a, b) or an element of a buffer of vectors
#>
#> error[vector-lanes]: vector length mismatch: 3 and 2 elements
#>   --> vector_dtypes.py, line 17
#>  17 |         A[0, 0] = T.bfloat16x2(1, 2, 3)
#>     |                   ^^^^^^^^^^^^^^^^^^^^^
#> help: pass 2 values, or one for all lanes: T.bfloat16x2(...)
#>
#> error[index-rank]: `A` has 2 dimensions, but is indexed with 3 indices
#>   --> vector_dtypes.py, line 18
#>   8 | def main(A: T.Tensor((32, 4), T.bfloat16x2), B: T.Tensor((32,), "float32")):
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ `A`, a global tensor of 32x4 bfloat16x2
#>  ...
#>  18 |         A[0, 0, 1] = 1
#>     |         ^^^^^^^^^^
#> help: write an element as `A[i, j]`
