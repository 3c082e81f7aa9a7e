# SPDX-License-Identifier: Apache-2.0
"""A buffer's access_ptr needs an access mode."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as bx:
        T.atomic_add(A.access_ptr(offset=3), 1.0)


tilelang.compile(main)
#> CompileError: error[call-missing]: `access_ptr` is missing the argument `access_mask`
#>   --> access_ptr_method.py, line 10
#>  10 |         T.atomic_add(A.access_ptr(offset=3), 1.0)
#>     |                      ^^^^^^^^^^^^^^^^^^^^^^
#> help: `A.access_ptr("r", offset=0, extent=None)`
