# SPDX-License-Identifier: Apache-2.0
# The result is left in shared memory.
import tilelang
import tilelang.language as T


@T.prim_func
def f(A: T.Tensor((1024,), "float32"), B: T.Tensor((1024,), "float32")):
    with T.Kernel(8, threads=128) as bx:
        s = T.alloc_shared((128,), "float32")
        T.copy(A[bx * 128], s)
        for i in T.Parallel(128):
            s[i] = s[i] + 1.0


tilelang.compile(f)
#> TilelabWarning: warning[kernel-writes-nothing]: this kernel writes none of its tensors
#>   --> kernel_writes_nothing.py, line 9
#>   9 |     with T.Kernel(8, threads=128) as bx:
#>     |          ^^^^^^^^^^^^^^^^^^^^^^^^
#> help: store the result in a tensor: T.copy(result, C[...]), or C[i] = ...
