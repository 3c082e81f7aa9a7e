# SPDX-License-Identifier: Apache-2.0
"""A tensor that may not change, written through another name for it."""
import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        rows = T.view(A, (8, 8), "float32")
        for i, j in T.Parallel(8, 8):
            rows[i, j] = 3.0


kernel = tilelang.compile(main)
a = np.zeros(64, "float32")
a.flags.writeable = False
kernel(a)
#> ArgumentError: error[argument-read-only]: kernel main writes argument A, which is read-only
#>   --> call_read_only_view.py, line 19
#>   9 | def main(A: T.Tensor((64,), "float32")):
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ declared here
#>  ...
#>  19 | kernel(a)
#>     | ^^^^^^^^^
#> help: pass a writable copy: A.copy()
