# SPDX-License-Identifier: Apache-2.0
"""An extent that only an absent tensor determines."""
import numpy as np
import tilelang
import tilelang.language as T

n = T.dynamic("n")


@T.prim_func
def main(A: T.Tensor((n,), "float32"), B: T.Tensor((8,), "float32")):
    with T.Kernel(1, threads=8):
        for i in T.Parallel(8):
            if n > 8:
                B[i] = 1.0


tilelang.compile(main)(None, np.zeros(8, "float32"))
#> ArgumentError: error[argument-extent]: kernel main: no argument determines the extent n
#>   --> call_extent_unknown.py, line 18
#>  11 | def main(A: T.Tensor((n,), "float32"), B: T.Tensor((8,), "float32")):
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~~~~~~ declared here
#>  ...
#>  18 | tilelang.compile(main)(None, np.zeros(8, "float32"))
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: at least one non-null buffer is needed among the arguments that have it
