# SPDX-License-Identifier: Apache-2.0
"""T.thread_return in a T.Parallel: its iterations are not threads."""
import numpy as np
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=-1)
def positive(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=128):
            for i in T.Parallel(N):
                if A[i] < 0:
                    T.thread_return()
                B[i] = A[i]
    return main


positive(64)(np.ones(64, np.float32))
#> CompileError: error[loop-control]: `T.thread_return` in a T.Parallel, whose iterations are not threads
#>   --> thread_return_in_parallel.py, line 15
#>  15 |                     T.thread_return()
#>     |                     ^^^^^^^^^^^^^^^^^
#> help: put the statements of the iteration under the opposite condition
