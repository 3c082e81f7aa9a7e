# SPDX-License-Identifier: Apache-2.0
"""A pass configuration that does not exist."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        T.copy(A, B)


tilelang.compile(main, pass_configs={"tl.disable_everything": True})
#> UsageError: error[pass-config-unknown]: unknown pass configuration 'tl.disable_everything'
#>   --> pass_config_unknown.py, line 13
#>  13 | tilelang.compile(main, pass_configs={"tl.disable_everything": True})
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: see tilelang.PassConfigKey for all names
