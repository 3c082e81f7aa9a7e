# SPDX-License-Identifier: Apache-2.0
# Barriers and private computations write no result.
import tilelang
import tilelang.language as T


@T.prim_func
def f(A: T.Tensor((1024,), "float32"), B: T.Tensor((1024,), "float32")):
    with T.Kernel(8, threads=128) as bx:
        s = T.alloc_shared((128,), "float32")
        t = T.get_thread_binding()
        x = T.exp(A[bx * 128 + t])
        s[t] = x
        T.sync_threads()


tilelang.compile(f)
#> TilelabWarning: warning[kernel-writes-nothing]: this kernel writes none of its tensors
#>   --> kernel_writes_nothing_synced.py, line 9
#>   9 |     with T.Kernel(8, threads=128) as bx:
#>     |          ^^^^^^^^^^^^^^^^^^^^^^^^
#> help: store the result in a tensor: T.copy(result, C[...]), or C[i] = ...
