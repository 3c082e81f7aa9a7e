# SPDX-License-Identifier: Apache-2.0
"""Attention backward: a block for BM keys of a head goes over its queries; the blocks add up the gradients of queries."""
import tilelang
import tilelang.language as T


@T.macro
def prepare(O, G, Delta, Sum_dQ, B, S, H, D):
    """Each row's product with its gradient; sums begin at 0."""
    with T.Kernel(S // 64, H, B, threads=128) as (bx, by, bz):
        o = T.alloc_fragment((64, D), "float16")
        g = T.alloc_fragment((64, D), "float16")
        both = T.alloc_fragment((64, D), "float32")
        delta = T.alloc_fragment((64,), "float32")
        T.copy(O[bz, bx * 64:(bx + 1) * 64, by, :], o)
        T.copy(G[bz, bx * 64:(bx + 1) * 64, by, :], g)
        for i, c in T.Parallel(64, D):
            both[i, c] = T.cast(o[i, c], "float32") * T.cast(g[i, c], "float32")
        T.reduce_sum(both, delta, dim=1)
        T.copy(delta, Delta[bz, by, bx * 64:(bx + 1) * 64])
        T.clear(both)
        T.copy(both, Sum_dQ[bz, bx * 64:(bx + 1) * 64, by, :])


@T.macro
def rounded(Sum_dQ, dQ, B, S, H, D):
    """Sums of f32 as f16."""
    with T.Kernel(S // 64, H, B, threads=128) as (bx, by, bz):
        sum_dq = T.alloc_fragment((64, D), "float32")
        T.copy(Sum_dQ[bz, bx * 64:(bx + 1) * 64, by, :], sum_dq)
        T.copy(sum_dq, dQ[bz, bx * 64:(bx + 1) * 64, by, :])


@tilelang.jit(pass_configs={"tilelab.hardware_units": True, "tl.enable_fast_math": True})
def backward(B, S, H, D, BM, BN, stages, threads, causal=0):
    scale, shape = 1 / D**0.5, (B, S, H, D)

    @T.prim_func
    def backward(Q: T.Tensor(shape, "float16"), K: T.Tensor(shape, "float16"), V: T.Tensor(shape, "float16"),
                 O: T.Tensor(shape, "float16"), G: T.Tensor(shape, "float16"), Sums: T.Tensor((B, H, S), "float32"),
                 Delta: T.Tensor((B, H, S), "float32"), Sum_dQ: T.Tensor(shape, "float32"), dQ: T.Tensor(shape, "float16"),
                 dK: T.Tensor(shape, "float16"), dV: T.Tensor(shape, "float16")):
        prepare(O, G, Delta, Sum_dQ, B, S, H, D)
        with T.Kernel(S // BM, H, B, threads=threads) as (bx, by, bz):
            k = T.alloc_shared((BM, D), "float16")
            v = T.alloc_shared((BM, D), "float16")
            q = T.alloc_shared((BN, D), "float16")
            g = T.alloc_shared((BN, D), "float16")
            sums = T.alloc_shared((BN,), "float32")
            delta = T.alloc_shared((BN,), "float32")
            p = T.alloc_fragment((BM, BN), "float32")
            ds = T.alloc_fragment((BM, BN), "float32")
            half_p = T.alloc_fragment((BM, BN), "float16")
            half_ds = T.alloc_fragment((BM, BN), "float16")
            turned = T.alloc_shared((BM, BN), "float16")
            dk = T.alloc_fragment((BM, D), "float32")
            dv = T.alloc_fragment((BM, D), "float32")
            dq = T.alloc_fragment((BN, D), "float32")
            T.copy(K[bz, bx * BM:(bx + 1) * BM, by, :], k)
            T.copy(V[bz, bx * BM:(bx + 1) * BM, by, :], v)
            T.clear(dk)
            T.clear(dv)
            for j in T.Pipelined(bx * BM // BN if causal else 0, S // BN, num_stages=stages):
                T.copy(Q[bz, j * BN:(j + 1) * BN, by, :], q)
                T.copy(Sums[bz, by, j * BN:(j + 1) * BN], sums)
                T.gemm(k, q, p, transpose_B=True, policy=T.GemmWarpPolicy.FullRow, clear_accum=True)
                for i, c in T.Parallel(BM, BN):
                    p[i, c] = T.exp2(p[i, c] * (scale * 1.44269504) - sums[c])
                if causal:
                    for i, c in T.Parallel(BM, BN):
                        p[i, c] = T.if_then_else(bx * BM + i <= j * BN + c, p[i, c], 0.0)
                T.copy(p, half_p)
                T.copy(G[bz, j * BN:(j + 1) * BN, by, :], g)
                T.copy(Delta[bz, by, j * BN:(j + 1) * BN], delta)
                T.gemm(half_p, g, dv, policy=T.GemmWarpPolicy.FullRow)
                T.gemm(v, g, ds, transpose_B=True, policy=T.GemmWarpPolicy.FullRow, clear_accum=True)
                for i, c in T.Parallel(BM, BN):
                    half_ds[i, c] = T.cast(T.cast(half_p[i, c], "float32") * (ds[i, c] - delta[c]) * scale, "float16")
                T.gemm(half_ds, q, dk, policy=T.GemmWarpPolicy.FullRow)
                T.copy(half_ds, turned)
                T.gemm(turned, k, dq, transpose_A=True, clear_accum=True)
                T.atomic_add(Sum_dQ[bz, j * BN:(j + 1) * BN, by, :], dq)
            T.copy(dk, dK[bz, bx * BM:(bx + 1) * BM, by, :])
            T.copy(dv, dV[bz, bx * BM:(bx + 1) * BM, by, :])
        rounded(Sum_dQ, dQ, B, S, H, D)
    return backward
