# SPDX-License-Identifier: Apache-2.0
"""A field of a packed structure: its strides are not whole elements."""
import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32")):
    with T.Kernel(1, threads=32):
        for i in T.Parallel(8):
            B[i] = A[i] + 1


records = np.zeros(8, [("flag", "u1"), ("x", "f4")])
tilelang.compile(main)(records["x"], np.zeros(8, "float32"))
#> ArgumentError: error[argument-stride]: kernel main, argument A: stride 5 bytes of dimension 0, expected a multiple of its element size, 4 bytes
#>   --> call_packed_field.py, line 16
#>   9 | def main(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32")):
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~~~~~~ declared here
#>  ...
#>  16 | tilelang.compile(main)(records["x"], np.zeros(8, "float32"))
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: pass a copy: A.copy()
