# SPDX-License-Identifier: Apache-2.0
"""Slices among the values of a tuple that a target before them overwrites."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as bx:
        A[0:4], B[0:4] = B[0:4], A[0:4]


tilelang.compile(main).get_kernel_source()
#> CompileError: error[expression-unsupported]: a kernel cannot contain a slice that an earlier target overwrites
#>   --> swap_of_slices.py, line 10
#>  10 |         A[0:4], B[0:4] = B[0:4], A[0:4]
#>     |                          ^^^^^^^^^^^^^^
#> help: write separate assignments, and keep the slice in a fragment in between
