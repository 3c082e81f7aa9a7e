# SPDX-License-Identifier: Apache-2.0
"""T.Persistent: a fixed number of blocks goes through the tiles of a domain."""
import numpy as np
import tilelang.language as T

from case import EVERY, case, floats

# tiles that the blocks divide, a last group that is not full, fewer tiles than blocks
TILES = [dict(M=64, N=128, group=8), dict(M=40, N=75, group=3), dict(M=1, N=1, group=2)]


@case(sizes=TILES, inputs=lambda rng, M, N, group: [floats(rng, M, N)],
      reference=lambda x, **_: [x[0].astype(np.float64) * 2 + 1])
def persistent_scale(M, N, group):
    rows, columns = -(-M // 16), -(-N // 16)

    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(3, threads=64) as bx:
            for i, j in T.Persistent([rows, columns], 3, bx, group_size=group):
                for y, x in T.Parallel(16, 16):
                    if i * 16 + y < M and j * 16 + x < N:
                        B[i * 16 + y, j * 16 + x] = A[i * 16 + y, j * 16 + x] * 2.0 + 1.0
    return main


@case(sizes=[dict(M=64, N=64, K=64), dict(M=40, N=72, K=24), dict(M=3, N=2, K=5)],
      inputs=lambda rng, M, N, K: [floats(rng, M, K, dtype=np.float16), floats(rng, K, N, dtype=np.float16)],
      reference=lambda x, **_: [x[0].astype(np.float64) @ x[1].astype(np.float64)], terms=lambda K, **_: K,
      targets=EVERY)
def persistent_gemm(M, N, K):
    """Shared memory is used again by the next tile: its writers wait for the readers of this one."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(2, threads=64) as bx:
            a = T.alloc_shared((16, 16), "float16")
            b = T.alloc_shared((16, 32), "float16")
            c = T.alloc_fragment((16, 32), "float32")
            for i, j in T.Persistent([T.ceildiv(M, 16), T.ceildiv(N, 32)], 2, bx, group_size=2):
                T.clear(c)
                for k in T.Pipelined(T.ceildiv(K, 16), num_stages=2):
                    T.copy(A[i * 16, k * 16], a)
                    T.copy(B[k * 16, j * 32], b)
                    T.gemm(a, b, c)
                T.copy(c, C[i * 16, j * 32])
    return main


@case(sizes=[dict(M=32, N=64, G=2), dict(M=19, N=45, G=5), dict(M=1, N=1, G=1)],
      inputs=lambda rng, M, N, G: [floats(rng, M, N), np.int32(G)],
      reference=lambda x, **_: [np.ascontiguousarray(x[0].T)])
def persistent_dynamic(M, N, G):
    """Extents, and the number of blocks, are known at run time."""
    m, n = T.dynamic("m"), T.dynamic("n")

    @T.prim_func
    def main(A: T.Tensor((m, n), "float32"), blocks: T.int32, B: T.Tensor((n, m), "float32")):
        with T.Kernel(blocks, threads=32) as bx:
            s = T.alloc_shared((8, 8), "float32")
            for i, j in T.Persistent([T.ceildiv(m, 8), T.ceildiv(n, 8)], blocks, bx, group_size=4):
                T.copy(A[i * 8, j * 8], s)
                for x, y in T.Parallel(8, 8):
                    if j * 8 + x < n and i * 8 + y < m:
                        B[j * 8 + x, i * 8 + y] = s[y, x]
    return main


@case(sizes=[dict(M=64, N=64, K=64, panel=1), dict(M=40, N=72, K=24, panel=2), dict(M=3, N=2, K=5, panel=3)],
      inputs=lambda rng, M, N, K, panel: [floats(rng, M, K, dtype=np.float16), floats(rng, K, N, dtype=np.float16)],
      reference=lambda x, **_: [x[0].astype(np.float64) @ x[1].astype(np.float64)], terms=lambda K, **_: K,
      targets=EVERY)
def scheduled_gemm(M, N, K, panel):
    """The tiles come from a scheduler object."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(2, threads=64) as bx:
            a = T.alloc_shared((16, 16), "float16")
            b = T.alloc_shared((16, 32), "float16")
            c = T.alloc_fragment((16, 32), "float32")
            tiles = T.PersistentTileScheduler(T.ceildiv(M, 16), T.ceildiv(N, 32), num_workers=2, swizzle_size=panel, name="tiles")
            tiles.init(bx)
            while tiles.valid():
                T.clear(c)
                for k in T.Pipelined(T.ceildiv(K, 16), num_stages=2):
                    T.copy(A[tiles.m_idx * 16, k * 16], a)
                    T.copy(B[k * 16, tiles.n_idx * 32], b)
                    T.gemm(a, b, c)
                T.copy(c, C[tiles.m_idx * 16, tiles.n_idx * 32])
                tiles.next_tile()
    return main
