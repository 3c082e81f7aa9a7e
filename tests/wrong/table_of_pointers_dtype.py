# SPDX-License-Identifier: Apache-2.0
"""A call passes a table of int32."""
import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((4,), T.ptr), B: T.Tensor((4, 16), "float32")):
    with T.Kernel(4, threads=64) as bx:
        part = T.make_tensor(A[bx], (16,), "float32")
        T.copy(part, B[bx, 0])


tilelang.compile(main)(np.zeros(4, "int32"), np.zeros((4, 16), "float32"))
#> ArgumentError: error[argument-dtype]: kernel main, argument A: dtype int64 expected, got int32
#>   --> table_of_pointers_dtype.py, line 15
#>   9 | def main(A: T.Tensor((4,), T.ptr), B: T.Tensor((4, 16), "float32")):
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~~ declared here
#>  ...
#>  15 | tilelang.compile(main)(np.zeros(4, "int32"), np.zeros((4, 16), "float32"))
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: convert it: A.astype("int64") of NumPy, A.to(torch.int64)
