# SPDX-License-Identifier: Apache-2.0
"""A number where a tensor belongs."""
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
kernel(1.0, b, 1)
#> ArgumentError: error[argument-kind]: kernel main, argument A: a tensor expected, got float
#>   --> call_number_for_tensor.py, line 17
#>   9 | def main(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32"), n: T.int32):
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~~~~~~ declared here
#>  ...
#>  17 | kernel(1.0, b, 1)
#>     | ^^^^^^^^^^^^^^^^^
#> help: pass a NumPy array or torch tensor
