# SPDX-License-Identifier: Apache-2.0
"""Two blocks write to the tensors of their entries in a table of addresses, which are one array."""
import numpy as np
import tilelang.language as T

MEMORY = np.zeros((2, 64), "float32")


def arrays(rng):
    once = MEMORY.ctypes.data
    return [np.array([once, once, once + MEMORY.strides[0]], "int64")]


def make(bug):
    @T.prim_func
    def fill(table: T.Tensor((3,), T.ptr)):
        with T.Kernel(2, threads=32) as bx:
            rows = T.make_tensor(table[bx if bug else 2 * bx], (64,), "float32")
            for i in T.Parallel(64):
                rows[i] = bx + i

    return fill
#> tile level:
#> race: rows[0]  (64 times)
#>   race_two_entries_of_one_array.py, line 20    rows[i] = bx + i
#>                                                  block (0, 0) writes
#>   race_two_entries_of_one_array.py, line 20    rows[i] = bx + i
#>                                                  block (1, 0) writes
#>   race_two_entries_of_one_array.py, line 18    rows = T.make_tensor(table[bx if bug else 2 * bx], (64,), "float32")
#>                                                  declares rows, shape [64]
#> help: blocks have no order: let each block write separate elements; use T.atomic_add for a sum; to wait for another block, read its flag with T.atomic_load until it is set
#> in kernel fill
#> thread level:
#> race: rows[0]  (64 times)
#>   race_two_entries_of_one_array.py, line 20    rows[i] = bx + i
#>                                                  block (0, 0) writes
#>   race_two_entries_of_one_array.py, line 20    rows[i] = bx + i
#>                                                  block (1, 0) writes
#>   race_two_entries_of_one_array.py, line 18    rows = T.make_tensor(table[bx if bug else 2 * bx], (64,), "float32")
#>                                                  declares rows, shape [64]
#> help: blocks have no order: let each block write separate elements; use T.atomic_add for a sum; to wait for another block, read its flag with T.atomic_load until it is set
#> in kernel fill
#> flat level:
#> race: rows[0]  (64 times)
#>   race_two_entries_of_one_array.py, line 20    rows[i] = bx + i
#>                                                  block (0, 0) writes
#>   race_two_entries_of_one_array.py, line 20    rows[i] = bx + i
#>                                                  block (1, 0) writes
#>   race_two_entries_of_one_array.py, line 18    rows = T.make_tensor(table[bx if bug else 2 * bx], (64,), "float32")
#>                                                  declares rows, shape [64]
#> help: blocks have no order: let each block write separate elements; use T.atomic_add for a sum; to wait for another block, read its flag with T.atomic_load until it is set
#> in kernel fill
