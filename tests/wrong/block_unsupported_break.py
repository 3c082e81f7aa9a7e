# SPDX-License-Identifier: Apache-2.0
"""A kernel of pointers with a statement that Triton's language does not have."""
import numpy as np
import tilelab.triton as triton
import tilelab.triton.language as tl


@triton.jit
def first_zero(x_ptr, n):
    for i in range(n):
        if tl.load(x_ptr + i) == 0:
            tl.store(x_ptr, i)
            break


first_zero[(1,)](np.zeros(16, "int32"), 16)
#> CompileError: error[block-unsupported]: a kernel of pointers cannot contain break
#>   --> block_unsupported_break.py, line 13
#>  13 |             break
#>     |             ^^^^^
#> help: use a while loop with the opposite condition
