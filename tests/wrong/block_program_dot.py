# SPDX-License-Identifier: Apache-2.0
"""A kernel of pointers whose blocks do not fit each other."""
import numpy as np
import tilelab.triton as triton
import tilelab.triton.language as tl


@triton.jit
def product(a_ptr, c_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i[:, None] * N + i[None, :])
    tl.store(c_ptr + i, tl.dot(a, a[:, None]))


x = np.zeros((16, 16), "float32")
product[(1,)](x, x, N=16)
#> CompileError: error[block-program]: tl.dot of shapes [16, 16] and [16, 1, 16]
#>   --> block_program_dot.py, line 12
#>  12 |     tl.store(c_ptr + i, tl.dot(a, a[:, None]))
#>     |                         ^^^^^^^^^^^^^^^^^^^^^
#> help: the operands are M x K and K x N
