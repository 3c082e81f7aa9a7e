# SPDX-License-Identifier: Apache-2.0
"""A lock that is taken by a compare and swap without an order: the next owner may read values from before the last one's stores."""
import numpy as np
import tilelang.language as T


def make(bug):
    order = "relaxed" if bug else "acquire"

    @T.prim_func
    def main(A: T.Tensor((4,), "int32"), lock: T.Tensor((1,), "int32"), C: T.Tensor((1,), "int32")):
        with T.Kernel(4, threads=32) as bx:
            if T.get_thread_binding() == 0:
                while T.atomic_cas(lock[0], 0, 1, memory_order=order) != 0:
                    pass
                C[0] = C[0] + A[bx]
                T.atomic_store(lock[0], 0, memory_order="release")
    return main


def arrays(rng):
    return [rng.integers(0, 9, 4).astype(np.int32), np.zeros(1, np.int32), np.zeros(1, np.int32)]
#> tile level:
#> race: C[0]  (5 times)
#>   race_lock_without_order.py, line 16    C[0] = C[0] + A[bx]
#>                                            block (0, 0) writes
#>   race_lock_without_order.py, line 16    C[0] = C[0] + A[bx]
#>                                            block (1, 0) reads
#>   race_lock_without_order.py, line 11    def main(A: T.Tensor((4,), "int32"), lock: T.Tensor((1,), "int32"), C: T.Tensor((1,), "int32")):
#>                                            declares C, shape [1]
#> help: blocks have no order: write to a second buffer; use T.atomic_add for a sum; to wait for another block, read its flag with T.atomic_load until it is set
#> in kernel main
#> thread level:
#> race: C[0]  (3 times)
#>   race_lock_without_order.py, line 16    C[0] = C[0] + A[bx]
#>                                            block (0, 0) writes
#>   race_lock_without_order.py, line 16    C[0] = C[0] + A[bx]
#>                                            block (1, 0) writes
#>   race_lock_without_order.py, line 11    def main(A: T.Tensor((4,), "int32"), lock: T.Tensor((1,), "int32"), C: T.Tensor((1,), "int32")):
#>                                            declares C, shape [1]
#> help: blocks have no order: let each block write separate elements; use T.atomic_add for a sum; to wait for another block, read its flag with T.atomic_load until it is set
#> in kernel main
#> flat level:
#> race: C[0]  (3 times)
#>   race_lock_without_order.py, line 16    C[0] = C[0] + A[bx]
#>                                            block (0, 0) writes
#>   race_lock_without_order.py, line 16    C[0] = C[0] + A[bx]
#>                                            block (1, 0) writes
#>   race_lock_without_order.py, line 11    def main(A: T.Tensor((4,), "int32"), lock: T.Tensor((1,), "int32"), C: T.Tensor((1,), "int32")):
#>                                            declares C, shape [1]
#> help: blocks have no order: let each block write separate elements; use T.atomic_add for a sum; to wait for another block, read its flag with T.atomic_load until it is set
#> in kernel main
