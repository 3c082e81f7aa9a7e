# SPDX-License-Identifier: Apache-2.0
"""Names of two buffers that a loop exchanges."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((32,), "int32"), B: T.Tensor((32,), "int32")):
    with T.Kernel(1, threads=32):
        x = T.alloc_shared((32,), "int32")
        y = T.alloc_shared((32,), "int32")
        T.copy(A, x)
        src, dst = x, y
        for step in T.serial(3):
            for i in T.Parallel(32):
                dst[i] = src[(i + 1) % 32] + 1
            src, dst = dst, src
        T.copy(y, B)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[name-differs]: `dst` has different values on different paths
#>   --> buffers_exchanged_in_a_loop.py, line 16
#>  13 |         src, dst = x, y
#>     |              ~~~ here it is `y`, a shared buffer of 32 elements int32
#>  ...
#>  16 |                 dst[i] = src[(i + 1) % 32] + 1
#>     |                 ^^^
#>  17 |             src, dst = dst, src
#>     |                  ~~~ here it is `x`, a shared buffer of 32 elements int32
#> help: allocate one buffer with another dimension, and select a part by an index: `both[dst, i]`
#>
#> error[name-differs]: `src` has different values on different paths
#>   --> buffers_exchanged_in_a_loop.py, line 16
#>  13 |         src, dst = x, y
#>     |         ~~~ here it is `x`, a shared buffer of 32 elements int32
#>  ...
#>  16 |                 dst[i] = src[(i + 1) % 32] + 1
#>     |                          ^^^
#>  17 |             src, dst = dst, src
#>     |             ~~~ here it is `y`, a shared buffer of 32 elements int32
#> help: allocate one buffer with another dimension, and select a part by an index: `both[src, i]`
