# SPDX-License-Identifier: Apache-2.0
"""An index beyond the declared extent of a tensor at an address, where the array still has memory."""
import numpy as np
import tilelang.language as T

MEMORY = np.ones(64, "float32")


def arrays(rng):
    return [np.array([MEMORY.ctypes.data], "int64"), np.zeros(32, "float32")]


def make(bug):
    @T.prim_func
    def read(table: T.Tensor((1,), T.ptr), B: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=32):
            row = T.make_tensor(table[0], (32,), "float32")
            for i in T.Parallel(32):
                B[i] = row[i + (32 if bug else 0)]

    return read
#> tile level:
#> out-of-bounds: row[32] in block (0, 0), index [32] of shape [32]  (32 times)
#>   bounds_at_an_address.py, line 19    B[i] = row[i + (32 if bug else 0)]
#>                                         iteration i = 0 reads
#>   bounds_at_an_address.py, line 19    B[i] = row[i + (32 if bug else 0)]
#>                                         stores a result of it in B
#>   bounds_at_an_address.py, line 17    row = T.make_tensor(table[0], (32,), "float32")
#>                                         declares row, shape [32]
#> help: guard the access with `if`, correct the index, or make the buffer larger
#> in kernel read
#> thread level: nothing is found
#> flat level: nothing is found
