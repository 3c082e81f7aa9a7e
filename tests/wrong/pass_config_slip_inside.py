# SPDX-License-Identifier: Apache-2.0
"""The same in the kernel."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float32")):
    with T.Kernel(1, threads=64):
        T.annotate_pass_configs({"tilelab.bank_swizzles": False, "fp_contract": False})
        T.fill(A, 1)


tilelang.compile(main)
#> CompileError: error[pass-config-unknown]: unknown pass configuration 'fp_contract'
#>   --> pass_config_slip_inside.py, line 10
#>  10 |         T.annotate_pass_configs({"tilelab.bank_swizzles": False, "fp_contract": False})
#>     |                                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: did you mean `tilelab.fp_contract`?
