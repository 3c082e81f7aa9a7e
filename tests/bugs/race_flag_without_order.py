# SPDX-License-Identifier: Apache-2.0
"""A flag that says nothing of what was written before it: other blocks may see it first."""
import numpy as np
import tilelang.language as T


def make(bug):
    out, into = ("relaxed", "relaxed") if bug else ("release", "acquire")

    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), flag: T.Tensor((1,), "int32"), X: T.Tensor((64,), "float32"),
             B: T.Tensor((64,), "float32")):
        with T.Kernel(2, threads=64) as bx:
            tx = T.get_thread_binding()
            if bx == 0:
                X[tx] = A[tx] * 2.0
                T.sync_threads()
                if tx == 0:
                    T.atomic_store(flag[0], 1, memory_order=out)
            else:
                while T.atomic_load(flag[0], memory_order=into) == 0:
                    pass
                B[tx] = X[tx]
    return main


def arrays(rng):
    return [rng.random(64, np.float32), np.zeros(1, np.int32), np.zeros(64, np.float32), np.zeros(64, np.float32)]
#> tile level:
#> race: X[0]  (64 times)
#>   race_flag_without_order.py, line 16    X[tx] = A[tx] * 2.0
#>                                            block (0, 0) writes
#>   race_flag_without_order.py, line 23    B[tx] = X[tx]
#>                                            block (1, 0) reads
#>   race_flag_without_order.py, line 11    def main(A: T.Tensor((64,), "float32"), flag: T.Tensor((1,), "int32"), X: T.Tensor((64,), "float32"),
#>                                            declares X, shape [64]
#> help: blocks have no order: write to a second buffer; use T.atomic_add for a sum; to wait for another block, read its flag with T.atomic_load until it is set
#> in kernel main
#> thread level:
#> race: X[0]  (64 times)
#>   race_flag_without_order.py, line 16    X[tx] = A[tx] * 2.0
#>                                            block (0, 0) writes
#>   race_flag_without_order.py, line 23    B[tx] = X[tx]
#>                                            block (1, 0) reads
#>   race_flag_without_order.py, line 11    def main(A: T.Tensor((64,), "float32"), flag: T.Tensor((1,), "int32"), X: T.Tensor((64,), "float32"),
#>                                            declares X, shape [64]
#> help: blocks have no order: write to a second buffer; use T.atomic_add for a sum; to wait for another block, read its flag with T.atomic_load until it is set
#> in kernel main
#> flat level:
#> race: X[0]  (64 times)
#>   race_flag_without_order.py, line 16    X[tx] = A[tx] * 2.0
#>                                            block (0, 0) writes
#>   race_flag_without_order.py, line 23    B[tx] = X[tx]
#>                                            block (1, 0) reads
#>   race_flag_without_order.py, line 11    def main(A: T.Tensor((64,), "float32"), flag: T.Tensor((1,), "int32"), X: T.Tensor((64,), "float32"),
#>                                            declares X, shape [64]
#> help: blocks have no order: write to a second buffer; use T.atomic_add for a sum; to wait for another block, read its flag with T.atomic_load until it is set
#> in kernel main
