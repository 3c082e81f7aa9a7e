# SPDX-License-Identifier: Apache-2.0
"""A run-time extent that no tensor determines."""
import tilelang
import tilelang.language as T


n = T.dynamic("n")


@T.prim_func
def main(A: T.Tensor((n * n,), "float32")):
    with T.Kernel(T.ceildiv(n, 64), threads=64) as bx:
        A[bx] = 0.0


tilelang.compile(main).get_kernel_source()
#> CompileError: error[dim-unbound]: no argument determines the extent `n`
#>   --> dynamic_not_in_a_shape.py, line 11
#>  11 | def main(A: T.Tensor((n * n,), "float32")):
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: use `n`, or a multiple like `n * 4`, as an extent or a stride
