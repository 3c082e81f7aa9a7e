# SPDX-License-Identifier: Apache-2.0
"""A function of T that does not exist, but nearly."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        x = T.alloc_fragmnt((64,), "float32")


tilelang.compile(main).get_kernel_source()
#> CompileError: error[builtin-unknown]: `T.alloc_fragmnt` does not exist
#>   --> builtin_misspelled.py, line 10
#>  10 |         x = T.alloc_fragmnt((64,), "float32")
#>     |             ^^^^^^^^^^^^^^^
#> help: did you mean `T.alloc_fragment`?
