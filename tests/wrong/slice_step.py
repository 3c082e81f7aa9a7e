# SPDX-License-Identifier: Apache-2.0
"""A slice with a step."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        s = T.alloc_shared((16,), "float16")
        T.copy(A[0, 0:32:2], s)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[slice-step]: slice with a step
#>   --> slice_step.py, line 11
#>  11 |         T.copy(A[0, 0:32:2], s)
#>     |                ^^^^^^^^^^^^
#> help: loop with T.Parallel over the elements
