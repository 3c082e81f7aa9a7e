# SPDX-License-Identifier: Apache-2.0
"""A slice whose length depends on the block."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        s = T.alloc_shared((32,), "float16")
        T.copy(A[0, 0:bx], s)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[extent-dynamic]: the extent bx of this tile is not known when compiled
#>   --> slice_run_time.py, line 11
#>  11 |         T.copy(A[0, 0:bx], s)
#>     |                ^^^^^^^^^^
#> help: a tile has a size that is known when the kernel is compiled: slice `A[i : i + 64]`, or give the start `A[i]` and let the other side say how much
