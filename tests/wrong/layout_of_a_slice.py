# SPDX-License-Identifier: Apache-2.0
"""A layout for a part of a buffer's rows."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 8), "float32"), B: T.Tensor((64, 8), "float32")):
    with T.Kernel(1, threads=64) as bx:
        s = T.alloc_shared((64, 8), "float32")
        T.annotate_layout({s[0:32, :]: T.make_swizzled_layout(s[0:32, :])}, allow_buffer_region=True)
        T.copy(A, s)
        T.copy(s, B)


tilelang.compile(main)
#> CompileError: error[buffer-needed]: T.annotate_layout needs a buffer, found a slice of `s`, a shared buffer of 64x8 float32
#>   --> layout_of_a_slice.py, line 11
#>  11 |         T.annotate_layout({s[0:32, :]: T.make_swizzled_layout(s[0:32, :])}, allow_buffer_regi…
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: with allow_buffer_region=True use one matrix of a buffer as the key, `S[0, :, :]`
