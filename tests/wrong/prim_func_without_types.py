# SPDX-License-Identifier: Apache-2.0
"""A parameter without a type."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A, B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as _:
        T.copy(A, B)
#> CompileError: error[parameter-undeclared]: the argument `A` has no type
#>   --> prim_func_without_types.py, line 8
#>   8 | def main(A, B: T.Tensor((64,), "float32")):
#>     |          ^
#> help: declare it in the signature, `A: T.Tensor(shape, dtype)`, or in a @tilelang.jit function at the start of its body
