# SPDX-License-Identifier: Apache-2.0
"""The index of a query head selects a key head that does not exist; no element of the tile is in
bounds. The correct twin pads on purpose: the last iteration's tile adds zeros to a sum."""
import numpy as np
import tilelang.language as T


def make(bug):
    heads, last = (4, 1) if bug else (2, 2)

    @T.prim_func
    def main(Q: T.Tensor((4, 32, 32), "float16"), K: T.Tensor((2, 32, 32), "float16"), S: T.Tensor((4, 32, 32), "float32")):
        with T.Kernel(heads, threads=32) as h:
            q, k = T.alloc_shared((32, 32), "float16"), T.alloc_shared((32, 32), "float16")
            s = T.alloc_fragment((32, 32), "float32")
            T.clear(s)
            for part in range(last):
                T.copy(Q[h, part * 32, 0], q)
                T.copy(K[h, part * 32, 0], k)
                T.gemm(q, k, s, transpose_B=True)
            T.copy(s, S[h, 0, 0])
    return main


def arrays(rng):
    return [rng.random((4, 32, 32)).astype(np.float16), rng.random((2, 32, 32)).astype(np.float16), np.zeros((4, 32, 32), np.float32)]
#> tile level:
#> padded-result: K[2, 0, 0] in block (2, 0), index [2, 0, 0] of shape [2, 32, 32]  (2 times)
#>   bounds_head_beyond_the_tensor.py, line 19    T.copy(K[h, part * 32, 0], k)
#>                                                  reads
#>   bounds_head_beyond_the_tensor.py, line 21    T.copy(s, S[h, 0, 0])
#>                                                  stores a result of these zeros alone in S
#>   bounds_head_beyond_the_tensor.py, line 12    def main(Q: T.Tensor((4, 32, 32), "float16"), K: T.Tensor((2, 32, 32), "float16"), S: T.Tensor((4, 32, 32), "float32")):
#>                                                  declares K, shape [2, 32, 32]
#> help: correct the index; or skip it where nothing is inside the tensor: if i < n
#> in kernel main
#> thread level: nothing is found
#> flat level: nothing is found
