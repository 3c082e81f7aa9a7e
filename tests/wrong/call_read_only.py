# SPDX-License-Identifier: Apache-2.0
"""An output that may not change."""
import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32"), n: T.int32):
    with T.Kernel(1, threads=8):
        for i in T.Parallel(8):
            B[i] = A[i] + T.cast(n, "float32")


kernel = tilelang.compile(main)
a, b = np.ones(8, "float32"), np.zeros(8, "float32")
b.flags.writeable = False
kernel(a, b, 1)
#> ArgumentError: error[argument-read-only]: kernel main writes argument B, which is read-only
#>   --> call_read_only.py, line 18
#>   9 | def main(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32"), n: T.int32):
#>     |                                        ~~~~~~~~~~~~~~~~~~~~~~~~~~~~ declared here
#>  ...
#>  18 | kernel(a, b, 1)
#>     | ^^^^^^^^^^^^^^^
#> help: pass a writable copy: B.copy()
