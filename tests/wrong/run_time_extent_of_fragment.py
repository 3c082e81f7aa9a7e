# SPDX-License-Identifier: Apache-2.0
"""A fragment is filled up to a dynamic extent."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), n: T.int32, B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        x = T.alloc_fragment((64,), "float32")
        T.copy(A[0:n], x[0:n])
        T.copy(x, B)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[extent-dynamic]: the extent n of this tile is not known at compile time
#>   --> run_time_extent_of_fragment.py, line 11
#>  10 |         x = T.alloc_fragment((64,), "float32")
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ `x`, a fragment buffer of 64 elements float32
#>  11 |         T.copy(A[0:n], x[0:n])
#>     |                        ^^^^^^
#> help: `x` is in registers: loop over all of it with T.Parallel, and check the bound inside, `if i < n`
