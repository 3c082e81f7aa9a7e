# SPDX-License-Identifier: Apache-2.0
"""A reduction into the shape of the other dimension."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        x = T.alloc_fragment((4, 32), "float32")
        r = T.alloc_fragment((32,), "float32")
        T.fill(x, 1.0)
        T.reduce_sum(x, r, dim=1)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[reduce-shape]: reducing 4x32 along dimension 1 gives 4, but the destination has 32
#>   --> reduce_destination.py, line 13
#>  13 |         T.reduce_sum(x, r, dim=1)
#>     |                      ~  ^
#>     |                      4x32
#> help: allocate the destination as (4,), or reduce along dim=0
