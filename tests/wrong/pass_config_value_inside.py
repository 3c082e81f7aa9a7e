# SPDX-License-Identifier: Apache-2.0
"""The same in the kernel, and a number of processors below 1."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float32")):
    with T.Kernel(1, threads=64):
        T.annotate_pass_configs({"tilelab.processors": 0, "tl.disable_tma_lower": "yes"})
        T.fill(A, 1)


tilelang.compile(main)
#> CompileError: error[pass-config-value]: invalid value 0 of the pass configuration 'tilelab.processors'
#>   --> pass_config_value_inside.py, line 10
#>  10 |         T.annotate_pass_configs({"tilelab.processors": 0, "tl.disable_tma_lower": "yes"})
#>     |                                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: use a number of 1 or more
#>
#> error[pass-config-value]: invalid value "yes" of the pass configuration 'tl.disable_tma_lower'
#>   --> pass_config_value_inside.py, line 10
#>  10 |         T.annotate_pass_configs({"tilelab.processors": 0, "tl.disable_tma_lower": "yes"})
#>     |                                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: use True or False
