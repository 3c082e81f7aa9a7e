# SPDX-License-Identifier: Apache-2.0
"""A reduction without a destination."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        x = T.alloc_fragment((8, 32), "float32")
        T.fill(x, 1.0)
        r = T.reduce_sum(x, dim=1)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[call-missing]: `T.reduce_sum` is missing the argument `out`
#>   --> reduce_without_destination.py, line 12
#>  12 |         r = T.reduce_sum(x, dim=1)
#>     |             ^^^^^^^^^^^^^^^^^^^^^^
#> help: T.reduce_sum(src, out, dim=-1, clear=True, batch=1, nan_propagate=False)
