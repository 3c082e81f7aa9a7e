# SPDX-License-Identifier: Apache-2.0
"""Points in time are not numbers."""
import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32")):
    with T.Kernel(1, threads=32):
        for i in T.Parallel(8):
            B[i] = A[i] + 1


tilelang.compile(main)(np.zeros(8, "datetime64[s]"), np.zeros(8, "float32"))
#> ArgumentError: error[argument-dtype]: kernel main, argument A: dtype float32 expected, got datetime64
#>   --> call_datetimes.py, line 15
#>   9 | def main(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32")):
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~~~~~~ declared here
#>  ...
#>  15 | tilelang.compile(main)(np.zeros(8, "datetime64[s]"), np.zeros(8, "float32"))
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: convert it: A.astype("float32") of NumPy, A.to(torch.float32)
