# SPDX-License-Identifier: Apache-2.0
"""A read before the wait is a race: only the wait orders the blocks."""
import numpy as np
import tilelang.language as T


def make(bug):
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), count: T.Tensor((1,), "int32"), X: T.Tensor((2, 64), "float32"),
             B: T.Tensor((64,), "float32")):
        with T.Kernel(2, threads=64) as bx:
            early = T.alloc_fragment((64,), "float32")
            ticket = T.alloc_shared((1,), "int32")
            for i in T.Parallel(64):
                X[bx, i] = A[i] + bx
            if bug:
                T.copy(X[1 - bx, :], early)
            if T.get_thread_binding() == 0:
                ticket[0] = T.atomic_add(count[0], 1, memory_order="acq_rel", return_prev=True)
            if ticket[0] == 1:
                if not bug:
                    T.copy(X[1 - bx, :], early)
                T.copy(early, B)
    return main


def arrays(rng):
    return [rng.random(64, np.float32), np.zeros(1, np.int32), np.zeros((2, 64), np.float32), np.zeros(64, np.float32)]
#> tile level:
#> race: X[0, 0]  (128 times)
#>   race_read_before_the_wait.py, line 15    X[bx, i] = A[i] + bx
#>                                              block (0, 0) writes
#>   race_read_before_the_wait.py, line 17    T.copy(X[1 - bx, :], early)
#>                                              block (1, 0) reads
#>   race_read_before_the_wait.py, line 9     def main(A: T.Tensor((64,), "float32"), count: T.Tensor((1,), "int32"), X: T.Tensor((2, 64), "float32"),
#>                                              declares X, shape [2, 64]
#> help: blocks have no order: write to a second buffer; use T.atomic_add for a sum; to wait for another block, read its flag with T.atomic_load until it is set
#> in kernel main
#> thread level:
#> race: X[0, 0]  (128 times)
#>   race_read_before_the_wait.py, line 15    X[bx, i] = A[i] + bx
#>                                              block (0, 0) writes
#>   race_read_before_the_wait.py, line 17    T.copy(X[1 - bx, :], early)
#>                                              block (1, 0) reads
#>   race_read_before_the_wait.py, line 9     def main(A: T.Tensor((64,), "float32"), count: T.Tensor((1,), "int32"), X: T.Tensor((2, 64), "float32"),
#>                                              declares X, shape [2, 64]
#> help: blocks have no order: write to a second buffer; use T.atomic_add for a sum; to wait for another block, read its flag with T.atomic_load until it is set
#> in kernel main
#> flat level:
#> race: X[0, 0]  (128 times)
#>   race_read_before_the_wait.py, line 15    X[bx, i] = A[i] + bx
#>                                              block (0, 0) writes
#>   race_read_before_the_wait.py, line 17    T.copy(X[1 - bx, :], early)
#>                                              block (1, 0) reads
#>   race_read_before_the_wait.py, line 9     def main(A: T.Tensor((64,), "float32"), count: T.Tensor((1,), "int32"), X: T.Tensor((2, 64), "float32"),
#>                                              declares X, shape [2, 64]
#> help: blocks have no order: write to a second buffer; use T.atomic_add for a sum; to wait for another block, read its flag with T.atomic_load until it is set
#> in kernel main
