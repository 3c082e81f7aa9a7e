# SPDX-License-Identifier: Apache-2.0
"""A view of which the kernel computes another extent than the first, and one of shared memory."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), N: T.Tensor((1,), "int32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        s = T.alloc_shared((64,), "float32")
        n = N[0]
        columns = T.view(A, (8, n))
        rows = T.view(s, (n, 8))
        B[0] = columns[0, 0] + rows[0, 0]


tilelang.compile(main)
#> CompileError: error[extent-dynamic]: the extent 8xn of this tile is not known at compile time
#>   --> view_of_computed_columns.py, line 12
#>   8 | def main(A: T.Tensor((64,), "float32"), N: T.Tensor((1,), "int32"), B: T.Tensor((64,), "float…
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ `A`, a global tensor of 64 elements float32
#>  ...
#>  12 |         columns = T.view(A, (8, n))
#>     |                   ^^^^^^^^^^^^^^^^^
#> help: only the first extent of a view can be dynamic: make the others constant, and use a tensor without strides
#>
#> error[extent-dynamic]: the extent nx8 of this tile is not known at compile time
#>   --> view_of_computed_columns.py, line 13
#>  13 |         rows = T.view(s, (n, 8))
#>     |                          ^^^^^^
#> help: use constant extents: only a view of a tensor can have dynamic ones
