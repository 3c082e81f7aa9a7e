# SPDX-License-Identifier: Apache-2.0
"""T.Tensor with the dtype first."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor("float32", (64,))):
    with T.Kernel(1, threads=64) as bx:
        T.fill(A, 0.0)


tilelang.compile(main).get_kernel_source()
#> TypeError: T.Tensor(shape, dtype): (64,) is not a dtype; the shape comes first
