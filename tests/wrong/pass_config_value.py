# SPDX-License-Identifier: Apache-2.0
"""A text for a pass configuration that is on or off."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float32")):
    with T.Kernel(1, threads=64):
        T.fill(A, 1)


tilelang.compile(main, pass_configs={"tilelab.bank_swizzles": "x"})
#> UsageError: error[pass-config-value]: invalid value 'x' of the pass configuration 'tilelab.bank_swizzles'
#>   --> pass_config_value.py, line 13
#>  13 | tilelang.compile(main, pass_configs={"tilelab.bank_swizzles": "x"})
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: use True or False
