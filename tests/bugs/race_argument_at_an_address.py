# SPDX-License-Identifier: Apache-2.0
"""A block writes to an argument that another one reads through its address."""
import numpy as np
import tilelang.language as T

MEMORY = np.zeros((3, 64), "float32")


def arrays(rng):
    return [np.array([MEMORY.ctypes.data, MEMORY.ctypes.data + 2 * MEMORY.strides[0]], "int64"), MEMORY[:2]]


class Same(np.ndarray):
    """A copy of it is the same array: the addresses in the table stay valid."""
    def copy(self, order="C"):
        return self


MEMORY = MEMORY.view(Same)


def make(bug):
    @T.prim_func
    def shift(table: T.Tensor((2,), T.ptr), A: T.Tensor((2, 64), "float32")):
        with T.Kernel(2, threads=32) as bx:
            row = T.make_tensor(table[0 if bug else 1], (64,), "float32")
            for i in T.Parallel(64):
                A[bx, i] = row[i] + 1

    return shift
#> tile level:
#> race: row[0]  (64 times)
#>   race_argument_at_an_address.py, line 28    A[bx, i] = row[i] + 1
#>                                                block (0, 0) writes
#>   race_argument_at_an_address.py, line 28    A[bx, i] = row[i] + 1
#>                                                block (1, 0) reads
#>   race_argument_at_an_address.py, line 26    row = T.make_tensor(table[0 if bug else 1], (64,), "float32")
#>                                                declares row, shape [64]
#> help: blocks have no order: write to a second buffer; use T.atomic_add for a sum; to wait for another block, read its flag with T.atomic_load until it is set
#> in kernel shift
#> thread level:
#> race: A[0, 0]  (64 times)
#>   race_argument_at_an_address.py, line 28    A[bx, i] = row[i] + 1
#>                                                block (0, 0) writes
#>   race_argument_at_an_address.py, line 28    A[bx, i] = row[i] + 1
#>                                                block (1, 0) reads
#>   race_argument_at_an_address.py, line 24    def shift(table: T.Tensor((2,), T.ptr), A: T.Tensor((2, 64), "float32")):
#>                                                declares A, shape [2, 64]
#> help: blocks have no order: write to a second buffer; use T.atomic_add for a sum; to wait for another block, read its flag with T.atomic_load until it is set
#> in kernel shift
#> flat level:
#> race: A[0, 0]  (64 times)
#>   race_argument_at_an_address.py, line 28    A[bx, i] = row[i] + 1
#>                                                block (0, 0) writes
#>   race_argument_at_an_address.py, line 28    A[bx, i] = row[i] + 1
#>                                                block (1, 0) reads
#>   race_argument_at_an_address.py, line 24    def shift(table: T.Tensor((2,), T.ptr), A: T.Tensor((2, 64), "float32")):
#>                                                declares A, shape [2, 64]
#> help: blocks have no order: write to a second buffer; use T.atomic_add for a sum; to wait for another block, read its flag with T.atomic_load until it is set
#> in kernel shift
