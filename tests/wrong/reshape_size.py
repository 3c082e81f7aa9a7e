# SPDX-License-Identifier: Apache-2.0
"""A reshape that changes the number of elements."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        s = T.alloc_shared((4, 8), "float16")
        flat = T.reshape(s, (30,))
        T.clear(flat)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[view-size]: size mismatch: 4x8 float16 does not have as many bits as 30 elements float16
#>   --> reshape_size.py, line 11
#>  10 |         s = T.alloc_shared((4, 8), "float16")
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ `s`, a shared buffer of 4x8 float16
#>  11 |         flat = T.reshape(s, (30,))
#>     |                ^^^^^^^^^^^^^^^^^^^
#> help: `s` holds 32 elements float16, for example as (32,)
