# SPDX-License-Identifier: Apache-2.0
"""A parameter that T.copy does not have."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        s = T.alloc_shared((64, 32), "float16")
        T.copy(A, s, asynch=True)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[call-keyword]: `T.copy` has no parameter `asynch`
#>   --> keyword_unknown.py, line 11
#>  11 |         T.copy(A, s, asynch=True)
#>     |                      ^^^^^^^^^^^
#> help: T.copy(src, dst, *, coalesced_width=None, disable_tma=False, eviction_policy=None, inner_cache_policy=None, outer_cache_policy=None, prefer_instruction=None, force_async_copy=False, loop_layout=None, annotations=None, src_robust_desc=None)
