# SPDX-License-Identifier: Apache-2.0
"""A dtype under the name that C gives it."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        x = T.alloc_fragment((32,), "fp16")
        T.clear(x)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[dtype-unknown]: unknown dtype "fp16"
#>   --> dtype_of_another_language.py, line 10
#>  10 |         x = T.alloc_fragment((32,), "fp16")
#>     |                                     ^^^^^^
#> help: did you mean `float16`?
