# SPDX-License-Identifier: Apache-2.0
"""A memory scope that does not exist."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        s = T.alloc_shared((32,), "float16", scope="sharde")
        T.clear(s)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[scope-unknown]: unknown memory scope "sharde"
#>   --> scope_unknown.py, line 10
#>  10 |         s = T.alloc_shared((32,), "float16", scope="sharde")
#>     |                                              ^^^^^^^^^^^^^^
#> help: use shared or shared.dyn; for registers T.alloc_fragment or T.alloc_local
