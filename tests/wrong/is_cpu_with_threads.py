# SPDX-License-Identifier: Apache-2.0
"""A block of one thread that has 64."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64, is_cpu=True) as bx:
        for i in T.Parallel(64):
            B[i] = A[i]


tilelang.compile(main, target="c")
#> CompileError: error[kernel-threads]: block of 64 threads
#>   --> is_cpu_with_threads.py, line 9
#>   9 |     with T.Kernel(1, threads=64, is_cpu=True) as bx:
#>     |                      ^^^^^^^^^^
#> help: remove is_cpu=True, which means one thread per block, or remove threads
