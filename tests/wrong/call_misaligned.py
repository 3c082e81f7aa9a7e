# SPDX-License-Identifier: Apache-2.0
"""Elements that start in the middle of a word."""
import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32")):
    with T.Kernel(1, threads=32):
        for i in T.Parallel(8):
            B[i] = A[i] + 1


memory = np.zeros(33, "uint8")
tilelang.compile(main)(memory[1:].view("float32"), np.zeros(8, "float32"))
#> ArgumentError: error[argument-alignment]: kernel main, argument A: its address is not a multiple of 4 bytes, its element size
#>   --> call_misaligned.py, line 16
#>   9 | def main(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32")):
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~~~~~~ declared here
#>  ...
#>  16 | tilelang.compile(main)(memory[1:].view("float32"), np.zeros(8, "float32"))
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: pass a copy: A.copy()
