# SPDX-License-Identifier: Apache-2.0
"""A whole buffer as a condition."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        x = T.alloc_fragment((32,), "float32")
        T.clear(x)
        if x:
            T.fill(x, 1.0)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[buffer-condition]: buffer `x` cannot be a condition
#>   --> buffer_as_condition.py, line 12
#>  12 |         if x:
#>     |            ^
#> help: compare an element, `x[i]`, or use T.any_of(buffer), T.all_of(buffer)
