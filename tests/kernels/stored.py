# SPDX-License-Identifier: Apache-2.0
"""Matmul results that are kept in shared memory for a while, stored by any instruction."""
import numpy as np
import tilelang.language as T

from case import case, integers
from units import TARGETS, product


@case(sizes=[dict(N=64), dict(N=24), dict(N=16), dict(N=40), dict(N=128)], terms=lambda **_: 64,
      inputs=lambda rng, N: [integers(rng, *shape, dtype=np.float16, lo=-2, hi=3) for shape in ((64, 64), (64, N))],
      reference=lambda x, **_: [3 * product(x)[0]], targets=TARGETS)
def units_products_kept_in_shared(N):
    """A thread reads back what it has stored, in the layout that it holds: no barrier is needed in between."""
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, N), "float16"), C: T.Tensor((64, N), "float32")):
        with T.Kernel(1, threads=128):
            a, b = T.alloc_shared((64, 64), "float16"), T.alloc_shared((64, N), "float16")
            kept = T.alloc_shared((64, N), "float16")
            c, d = T.alloc_fragment((64, N), "float32"), T.alloc_fragment((64, N), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.gemm(a, b, c, clear_accum=True)
            T.copy(c, kept)
            T.copy(kept, d)
            for i, j in T.Parallel(64, N):
                d[i, j] = d[i, j] + c[i, j]
            T.copy(d, kept)
            for i, j in T.Parallel(64, N):
                d[i, j] = kept[i, j] + c[i, j]
            T.copy(d, C)
    return main
