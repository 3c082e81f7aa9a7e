# SPDX-License-Identifier: Apache-2.0
"""An array of Python objects."""
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
kernel(a.astype(object), b, 1)
#> ArgumentError: error[argument-dtype]: kernel main, argument A: dtype float32 expected, got object (Python objects)
#>   --> call_object_array.py, line 17
#>   9 | def main(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32"), n: T.int32):
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~~~~~~ declared here
#>  ...
#>  17 | kernel(a.astype(object), b, 1)
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: convert it: A.astype("float32") of NumPy, A.to(torch.float32)
