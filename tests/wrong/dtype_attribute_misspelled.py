# SPDX-License-Identifier: Apache-2.0
"""A dtype of T that does not exist."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        x = T.alloc_fragment((32,), T.flaot32)
        T.clear(x)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[builtin-unknown]: `T.flaot32` does not exist
#>   --> dtype_attribute_misspelled.py, line 10
#>  10 |         x = T.alloc_fragment((32,), T.flaot32)
#>     |                                     ^^^^^^^^^
#> help: did you mean `T.float32`?
