# SPDX-License-Identifier: Apache-2.0
"""A slice that ends past its buffer."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        s = T.alloc_shared((16, 32), "float16")
        T.copy(A[0:32, :], s[0:32, :])


tilelang.compile(main).get_kernel_source()
#> CompileError: error[out-of-bounds]: index 31 of `s` is out of bounds: dimension 0 has 16 elements
#>   --> slice_beyond_shared.py, line 11
#>  10 |         s = T.alloc_shared((16, 32), "float16")
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ `s`, a shared buffer of 16x32 float16
#>  11 |         T.copy(A[0:32, :], s[0:32, :])
#>     |                            ^^^^^^^^^^
#> help: use indices from 0 to 15; -1 is the last
