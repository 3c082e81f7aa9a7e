# SPDX-License-Identifier: Apache-2.0
"""len() of one number."""
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((32,), "float32")):
    with T.Kernel(1, threads=32):
        for i in T.serial(len(A[0])):
            A[i] = 0
#> CompileError: error[python-error]: `A[0]`, a dynamic float32 has no len()
#>   --> len_of_an_element.py, line 9
#>   9 |         for i in T.serial(len(A[0])):
#>     |                               ^^^^
#> help: use len() on a buffer, a slice, a list or a tuple
