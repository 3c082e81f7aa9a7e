# SPDX-License-Identifier: Apache-2.0
"""Clusters of blocks: the barrier of a cluster orders accesses of tensors, and blocks know their place in it."""
import numpy as np
import tilelang.language as T

from case import case, floats, integers

CLUSTERS = ("sm_90a",)


def neighbours(x, n, k, dims):
    a = x[0]
    out = np.zeros_like(a)
    cx, cy = dims
    for bx in range(n):
        for by in range(4):
            peer = bx // cx * cx + (bx + 1) % cx, by // cy * cy + (by + 1) % cy
            rank = bx % cx + by % cy * cx
            out[bx, by] = a[peer] * 2 + rank + 10 * (bx // cx) + 100 * (by // cy)
    return [out]


@case(sizes=[dict(n=6, k=64, dims=(2, 2)), dict(n=4, k=40, dims=(4, 1)), dict(n=1, k=7, dims=(1, 4))], targets=CLUSTERS,
      inputs=lambda rng, n, k, dims: [floats(rng, n, 4, k)], reference=neighbours)
def barrier_of_a_cluster(n, k, dims):
    """Each block reads what its neighbour in the cluster has written, and then overwrites it, with both forms of the barrier."""
    @T.prim_func
    def main(A: T.Tensor((n, 4, k), "float32"), B: T.Tensor((n, 4, k), "float32")):
        with T.ClusterKernel(n, 4, cluster_dims=dims, threads=64) as (bx, by):
            x, y, z = T.get_cluster_dims()
            line = T.alloc_fragment((k,), "float32")
            for i in T.Parallel(k):
                B[bx, by, i] = A[bx, by, i] * 2
            T.cluster_sync()
            for i in T.Parallel(k):
                line[i] = B[T.get_cluster_id(0) * x + (bx + 1) % x, by // y * y + (by + 1) % y, i]
            T.cluster_arrive()
            ids = T.get_cluster_ids()
            T.cluster_wait()
            for i in T.Parallel(k):
                B[bx, by, i] = line[i] + T.block_rank_in_cluster() + 10 * ids[0] + 100 * ids[1]
    return main


def halves(x, n, k, dtype, dims):
    a, size = x[0], int(np.prod(dims))
    cx = dims[0]
    out = np.zeros((n, 2, k), a.dtype)
    for bx in range(n):
        for by in range(2):
            sender = (by % dims[1] * cx + bx % cx - 1) % size
            out[bx, by] = a[bx // cx * cx + sender % cx, by // dims[1] * dims[1] + sender // cx] * 2
    return [out + np.roll(out, 1, 2)]


@case(sizes=[dict(n=4, k=256, dtype="float16", dims=(2, 2)), dict(n=3, k=45, dtype="float32", dims=(3, 1)),
             dict(n=1, k=8, dtype="int8", dims=(1, 2)), dict(n=8, k=96, dtype="float32", dims=(8, 1))], targets=CLUSTERS,
      reference=halves, inputs=lambda rng, n, k, dtype, dims: [integers(rng, n, 2, k, lo=-9, hi=10).astype(dtype)])
def copies_to_the_next_block(n, k, dtype, dims):
    """In a ring: from shared memory and from a fragment, to alternate slots of two."""
    @T.prim_func
    def main(A: T.Tensor((n, 2, k), dtype), B: T.Tensor((n, 2, k), dtype)):
        with T.Kernel(n, 2, cluster_dims=dims, threads=64) as (bx, by):
            rank = T.block_rank_in_cluster()
            size = T.get_cluster_size()
            S = T.alloc_shared((k,), dtype)
            R = T.alloc_shared((2, k), dtype)
            F = T.alloc_fragment((k,), dtype)
            T.copy(A[bx, by, 0:k], S)
            T.copy_cluster(S, R[0, 0:k], dst_block=(rank + 1) % size)
            for i in T.Parallel(k):
                F[i] = A[bx, by, i] * 2
            T.copy_cluster(F, R[1, 0:k], dst_block=(rank + 1) % size)
            T.cluster_sync()
            for i in T.Parallel(k):
                B[bx, by, i] = R[0, i] + R[1, (i + k - 1) % k] + R[0, i]
    return main


def sums(x, n, k):
    return [np.repeat(x[0].reshape(n // 4, 4, k).sum(1), 4, 0)]


@case(sizes=[dict(n=8, k=128), dict(n=4, k=33), dict(n=4, k=1)], targets=CLUSTERS, reference=sums, terms=lambda n, k: 4,
      inputs=lambda rng, n, k: [floats(rng, n, k)])
def sum_over_a_cluster(n, k):
    """Each block sends its line to every block, itself included; in a loop whose barriers free the memory again."""
    @T.prim_func
    def main(A: T.Tensor((n, k), "float32"), B: T.Tensor((n, k), "float32")):
        with T.ClusterKernel(n, cluster_dims=4, threads=32) as bx:
            line = T.alloc_shared((k,), "float32")
            lines = T.alloc_shared((4, k), "float32")
            total = T.alloc_fragment((k,), "float32")
            for step in T.serial(2):
                for i in T.Parallel(k):
                    line[i] = A[bx, i] * (step + 1)
                for peer in T.serial(4):
                    T.copy_cluster(line, lines[bx % 4, 0:k], dst_block=peer)
                T.cluster_sync()
                for i in T.Parallel(k):
                    total[i] = lines[0, i] + lines[1, i] + lines[2, i] + lines[3, i]
                T.cluster_sync()
            for i in T.Parallel(k):
                B[bx, i] = total[i] / 2
    return main


@case(sizes=[dict(m=130, n=300, k=320, parts=2, BM=128, BN=256), dict(m=72, n=144, k=200, parts=4, BM=64, BN=64),
             dict(m=5, n=64, k=30, parts=2, BM=64, BN=64)], targets=CLUSTERS,
      terms=lambda m, n, k, parts, BM, BN: k, inputs=lambda rng, m, n, k, parts, BM, BN: [floats(rng, m, k, dtype=np.float16), floats(rng, n, k, dtype=np.float16)],
      reference=lambda x, **_: [x[0].astype(np.float64) @ x[1].astype(np.float64).T])
def parts_of_a_product(m, n, k, parts, BM, BN):
    """Blocks of a cluster compute parts of K with a producer and consumers, and add them up, each some columns. Other blocks may write while this
    one still fills its ring."""
    W = BN // parts

    @T.prim_func
    def main(A: T.Tensor((m, k), "float16"), B: T.Tensor((n, k), "float16"), C: T.Tensor((m, n), "float32")):
        with T.Kernel(parts, T.ceildiv(n, BN), T.ceildiv(m, BM), cluster_dims=(parts, 1, 1), threads=256) as (part, bn, bm):
            a = T.alloc_shared((BM, 64), "float16")
            b = T.alloc_shared((BN, 64), "float16")
            c = T.alloc_fragment((BM, BN), "float32")
            received = T.alloc_shared((parts, BM, W), "float32")
            total = T.alloc_fragment((BM, W), "float32")
            steps = T.ceildiv(T.ceildiv(k, 64), parts)
            T.clear(c)
            for t in T.Pipelined(T.min(steps, T.ceildiv(k, 64) - part * steps), num_stages=3):
                T.copy(A[bm * BM, (part * steps + t) * 64], a)
                T.copy(B[bn * BN, (part * steps + t) * 64], b)
                T.gemm(a, b, c, transpose_B=True)
            for rank in T.unroll(parts):
                T.copy_cluster(c[0:BM, rank * W:(rank + 1) * W], received[part, 0:BM, 0:W], dst_block=rank)
            T.cluster_sync()
            for i, j in T.Parallel(BM, W):
                total[i, j] = received[0, i, j]
                for other in T.unroll(parts - 1):
                    total[i, j] += received[other + 1, i, j]
            T.copy(total, C[bm * BM, bn * BN + part * W])
    return main
