# SPDX-License-Identifier: Apache-2.0
"""A rounding mode that this function has on no GPU."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            B[i] = T.ieee_frsqrt(A[i, 0], "rz")


tilelang.compile(main).get_kernel_source()
#> CompileError: error[rounding-mode]: Invalid rounding mode "rz" of T.ieee_frsqrt
#>   --> rounding_mode_of_rsqrt.py, line 11
#>  11 |             B[i] = T.ieee_frsqrt(A[i, 0], "rz")
#>     |                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: use rn: no GPU has this function with another; T.ieee_frcp(T.ieee_fsqrt(x, ...), ...) rounds twice
