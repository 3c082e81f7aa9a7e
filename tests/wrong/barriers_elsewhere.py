# SPDX-License-Identifier: Apache-2.0
# Barriers for a target without hardware barriers.
import tilelang
import tilelang.language as T


@T.prim_func
def f(A: T.Tensor((16,), "float32")):
    with T.Kernel(1, threads=32):
        ready = T.alloc_barrier(1)
        A[0] = 1.0


tilelang.compile(f, target="sm_86")
#> CompileError: error[target-lacks]: `ready` is not available on sm_86: it has no asynchronous barriers
#>   --> barriers_elsewhere.py, line 10
#>  10 |         ready = T.alloc_barrier(1)
#>     |                 ^^^^^^^^^^^^^^^^^^
#> help: choose a target that has it (%target), or another operation
