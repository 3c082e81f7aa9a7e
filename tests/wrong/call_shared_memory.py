# SPDX-License-Identifier: Apache-2.0
"""A tensor that the kernel only reads shares memory with one that it writes."""
import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32")):
    with T.Kernel(1, threads=32):
        for i in T.Parallel(8):
            B[i] = A[i] + 1


a = np.zeros(9, "float32")
tilelang.compile(main)(a[:8], a[1:])
#> TilelabWarning: warning[argument-overlap]: kernel main: arguments A and B share memory
#>   --> call_shared_memory.py, line 9
#>   9 | def main(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32")):
#>     |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^  ~~~~~~~~~~~~~~~~~~~~~~~~~~~~ is written
#> help: pass a copy of one of them; or state in the kernel that they may overlap: T.annotate_restrict_buffers(A, B)
