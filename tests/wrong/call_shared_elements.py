# SPDX-License-Identifier: Apache-2.0
"""A written tensor whose rows are the same memory."""
import numpy as np
import tilelang
import tilelang.language as T

S = T.dynamic("S")


@T.prim_func
def main(A: T.Tensor((4, 8), "float32"), B: T.StridedTensor((4, 8), (S, 1), "float32")):
    with T.Kernel(1, threads=32):
        for i, j in T.Parallel(4, 8):
            B[i, j] = A[i, j]


rows = np.lib.stride_tricks.as_strided(np.zeros(8, "float32"), (4, 8), (0, 4))
tilelang.compile(main)(np.zeros((4, 8), "float32"), rows)
#> ArgumentError: error[argument-stride]: kernel main, argument B: stride 0 of dimension 0, expected separate memory for each element, because the kernel writes the tensor
#>   --> call_shared_elements.py, line 18
#>  11 | def main(A: T.Tensor((4, 8), "float32"), B: T.StridedTensor((4, 8), (S, 1), "float32")):
#>     |                                          ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ declared here
#>  ...
#>  18 | tilelang.compile(main)(np.zeros((4, 8), "float32"), rows)
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: pass a copy: B.copy()
