# SPDX-License-Identifier: Apache-2.0
"""A pass configuration with one of our names, and a letter missing."""
import tilelang
import tilelang.language as T


def kernel(configs):
    @T.prim_func
    def main(A: T.Tensor((64, 32), "float32")):
        with T.Kernel(1, threads=64):
            T.fill(A, 1)
    return tilelang.compile(main, pass_configs=configs)


kernel({"tilelab.fp_contract": False, "tilelab.bank_swizzles": False})
kernel({"tilelab.bank_swizzle": False})
#> UsageError: error[pass-config-unknown]: unknown pass configuration 'tilelab.bank_swizzle'
#>   --> pass_config_slip.py, line 12
#>  12 |     return tilelang.compile(main, pass_configs=configs)
#>     |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: did you mean 'tilelab.bank_swizzles'?
