# SPDX-License-Identifier: Apache-2.0
"""A row that does not exist is read element by element, and reduced."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((4, 64), "float32"), B: T.Tensor((8,), "float32")):
        with T.Kernel(8, threads=32) as bx:
            row, s = T.alloc_fragment((64,), "float32"), T.alloc_fragment((1,), "float32")
            for i in T.Parallel(64):
                row[i] = A[bx if bug else bx // 2, i]
            T.reduce_sum(row, s)
            T.copy(s, B[bx])
    return main


def arrays(rng):
    return [rng.random((4, 64), np.float32), np.zeros(8, np.float32)]
#> tile level:
#> padded-result: A[4, 0] in block (4, 0), index [4, 0] of shape [4, 64]  (4 times)
#>   bounds_row_beyond_the_tensor.py, line 13    row[i] = A[bx if bug else bx // 2, i]
#>                                                 reads
#>   bounds_row_beyond_the_tensor.py, line 15    T.copy(s, B[bx])
#>                                                 stores a result of these zeros alone in B
#>   bounds_row_beyond_the_tensor.py, line 9     def main(A: T.Tensor((4, 64), "float32"), B: T.Tensor((8,), "float32")):
#>                                                 declares A, shape [4, 64]
#> help: correct the index; or skip it where nothing is inside the tensor: if i < n
#> in kernel main
#> thread level: nothing is found
#> flat level: nothing is found
