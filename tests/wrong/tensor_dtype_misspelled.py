# SPDX-License-Identifier: Apache-2.0
"""A dtype of a tensor that does not exist."""
import tilelang
import tilelang.language as T


@tilelang.jit
def copy(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float23"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
            T.copy(A[bx * 64], B[bx * 64])
    return main


copy(64)
#> TypeError: T.Tensor(shape, dtype): 'float23' is not a dtype; did you mean float32?
