# SPDX-License-Identifier: Apache-2.0
"""An offset in two dimensions."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64, 2), "float32")):
    with T.Kernel(1, threads=64) as bx:
        tx = T.get_thread_binding()
        T.atomic_add(T.access_ptr(B[tx, 0], "rw", offset=1), 1.0)


tilelang.compile(main)
#> CompileError: error[address-offset]: an offset counts elements of one dimension, found `B`, a global tensor of 64x2 float32
#>   --> address_offset.py, line 11
#>  11 |         T.atomic_add(T.access_ptr(B[tx, 0], "rw", offset=1), 1.0)
#>     |                                                   ^^^^^^^^
#> help: add it to an index: T.access_ptr(A[i, j + n])
