# SPDX-License-Identifier: Apache-2.0
"""An entry of a table of addresses is null, and its block reads it."""
import numpy as np
import tilelang.language as T

MEMORY = np.ones((2, 64), "float32")


def arrays(rng):
    rows = [MEMORY.ctypes.data, MEMORY.ctypes.data + MEMORY.strides[0], 0]
    return [np.array(rows, "int64"), np.zeros((3, 64), "float32")]


def make(bug):
    @T.prim_func
    def gather(table: T.Tensor((3,), T.ptr), B: T.Tensor((3, 64), "float32")):
        with T.Kernel(3, threads=32) as bx:
            row = T.make_tensor(table[bx], (64,), "float32")
            if bug or bx < 2:
                for i in T.Parallel(64):
                    B[bx, i] = row[i]

    return gather
#> tile level:
#> bad-address: row in block (2, 0), its address is null
#>   address_null.py, line 21    B[bx, i] = row[i]
#>                                 reads
#>   address_null.py, line 18    row = T.make_tensor(table[bx], (64,), "float32")
#>                                 declares row, shape [64]
#> help: pass addresses of contiguous tensors on the device that runs the kernel: x.data_ptr(), or x.ctypes.data of NumPy
#> in kernel gather
#> thread level:
#> bad-address: row in block (2, 0), its address is null
#>   address_null.py, line 21    B[bx, i] = row[i]
#>                                 thread 0 (warp 0, lane 0) reads
#>   address_null.py, line 18    row = T.make_tensor(table[bx], (64,), "float32")
#>                                 declares row, shape [64]
#> help: pass addresses of contiguous tensors on the device that runs the kernel: x.data_ptr(), or x.ctypes.data of NumPy
#> in kernel gather
#> flat level:
#> bad-address: row in block (2, 0), its address is null
#>   address_null.py, line 21    B[bx, i] = row[i]
#>                                 thread 0 (warp 0, lane 0) reads
#>   address_null.py, line 18    row = T.make_tensor(table[bx], (64,), "float32")
#>                                 declares row, shape [64]
#> help: pass addresses of contiguous tensors on the device that runs the kernel: x.data_ptr(), or x.ctypes.data of NumPy
#> in kernel gather
