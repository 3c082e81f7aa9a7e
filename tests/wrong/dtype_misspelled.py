# SPDX-License-Identifier: Apache-2.0
"""A dtype that does not exist."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        s = T.alloc_shared((32,), "flaot16")
        T.clear(s)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[dtype-unknown]: unknown dtype "flaot16"
#>   --> dtype_misspelled.py, line 10
#>  10 |         s = T.alloc_shared((32,), "flaot16")
#>     |                                   ^^^^^^^^^
#> help: did you mean `float16`?
