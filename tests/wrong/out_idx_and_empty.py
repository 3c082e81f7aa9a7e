# SPDX-License-Identifier: Apache-2.0
"""out_idx for a kernel that returns what it makes itself."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16")):
    B = T.empty((64, 32), "float32")
    with T.Kernel(4, threads=64) as bx:
        T.copy(A, B)
    return B


tilelang.compile(main, out_idx=[-1])
#> UsageError: error[out-idx-conflict]: Out index conflict: out_idx=[-1], and `main` returns what it makes with T.empty
#>   --> out_idx_and_empty.py, line 15
#>  15 | tilelang.compile(main, out_idx=[-1])
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: remove out_idx: a call returns the tensors made by T.empty
