# SPDX-License-Identifier: Apache-2.0
"""A tensor begins between two multiples of 16 bytes."""
import numpy as np
import tilelang.language as T

MEMORY = np.ones(68, "float32")


def arrays(rng):
    return [np.array([MEMORY.ctypes.data // 16 * 16], "int64"), np.zeros(64, "float32")]


def make(bug):
    @T.prim_func
    def read(table: T.Tensor((1,), T.ptr), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=32):
            row = T.make_tensor_from_addr(table[0] + (4 if bug else 0), (64,), "float32")
            T.copy(row, B)

    return read
#> tile level:
#> bad-address: row in block (0, 0), its address is not a multiple of 16 bytes: the remainder is 4
#>   address_not_aligned.py, line 18    T.copy(row, B)
#>                                        reads
#>   address_not_aligned.py, line 17    row = T.make_tensor_from_addr(table[0] + (4 if bug else 0), (64,), "float32")
#>                                        declares row, shape [64]
#> help: pass addresses of contiguous tensors on the device that runs the kernel: x.data_ptr(), or x.ctypes.data of NumPy
#> in kernel read
#> thread level:
#> bad-address: row in block (0, 0), its address is not a multiple of 16 bytes: the remainder is 4
#>   address_not_aligned.py, line 18    T.copy(row, B)
#>                                        thread 0 (warp 0, lane 0) reads
#>   address_not_aligned.py, line 17    row = T.make_tensor_from_addr(table[0] + (4 if bug else 0), (64,), "float32")
#>                                        declares row, shape [64]
#> help: pass addresses of contiguous tensors on the device that runs the kernel: x.data_ptr(), or x.ctypes.data of NumPy
#> in kernel read
#> flat level:
#> bad-address: row in block (0, 0), its address is not a multiple of 16 bytes: the remainder is 4
#>   address_not_aligned.py, line 18    T.copy(row, B)
#>                                        thread 0 (warp 0, lane 0) reads
#>   address_not_aligned.py, line 17    row = T.make_tensor_from_addr(table[0] + (4 if bug else 0), (64,), "float32")
#>                                        declares row, shape [64]
#> help: pass addresses of contiguous tensors on the device that runs the kernel: x.data_ptr(), or x.ctypes.data of NumPy
#> in kernel read
