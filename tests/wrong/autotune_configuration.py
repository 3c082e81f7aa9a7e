# SPDX-License-Identifier: Apache-2.0
# Configurations that set an unknown parameter: from a function, and in a list.
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def doubled(n, block_m=64):
    @T.prim_func
    def main(X: T.Tensor((n,), "float32"), Y: T.Tensor((n,), "float32")):
        with T.Kernel(n // block_m, threads=64) as bx:
            for i in T.Parallel(block_m):
                Y[bx * block_m + i] = X[bx * block_m + i] * 2
    return main


tuned = tilelang.autotune(configs=lambda n: [{"block_m": 64}, {"block_m": 128, "stages": n // 512}])(doubled)
try:
    tuned(1024)
except ValueError as error:
    assert "stages" in str(error) and "line 17" in str(error)
tilelang.autotune(configs=[{"block": 64}, {"block": 128}])(doubled)
#> UsageError: error[argument-keyword]: kernel doubled does not take a keyword argument block
#>   --> autotune_configuration.py, line 22
#>  22 | tilelang.autotune(configs=[{"block": 64}, {"block": 128}])(doubled)
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> note: a configuration in `configs` sets it
#> help: use the names of the parameters: n, block_m
