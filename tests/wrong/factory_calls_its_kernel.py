# SPDX-License-Identifier: Apache-2.0
"""The factory calls what it should return."""
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def scale(N, FACTOR=2):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
            for i in T.Parallel(64):
                B[bx * 64 + i] = A[bx * 64 + i] * FACTOR
    return main()


scale(64)
#> TypeError: the kernel that scale makes is called here; return it without calling it
