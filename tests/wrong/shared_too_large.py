# SPDX-License-Identifier: Apache-2.0
"""More shared memory than a block can have."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        s = T.alloc_shared((64, 2048), "float32")
        T.clear(s)
        T.copy(s[0:64, 0:32], B)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[shared-memory-size]: kernel needs 524288 bytes of shared memory; a block of mp_31 has 196608
#>   --> shared_too_large.py, line 9
#>   9 |     with T.Kernel(4, threads=64) as bx:
#>     |          ^^^^^^^^^^^^^^^^^^^^^^^
#>  10 |         s = T.alloc_shared((64, 2048), "float32")
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ s: 524288 bytes
#> help: use smaller tiles, fewer stages, or a narrower type
