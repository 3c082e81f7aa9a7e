# SPDX-License-Identifier: Apache-2.0
"""Python that raises while the kernel is made."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        sizes = {"small": 4}
        s = T.alloc_shared((sizes["large"],), "float16")
        T.clear(s)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[index-static]: the dict has no key "large"
#>   --> python_exception.py, line 11
#>  11 |         s = T.alloc_shared((sizes["large"],), "float16")
#>     |                             ^^^^^^^^^^^^^^
#> help: its keys are "small"
