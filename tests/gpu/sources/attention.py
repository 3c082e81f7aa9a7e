# SPDX-License-Identifier: Apache-2.0
"""Attention forward as TileLang's users write it: a block for 128 rows of a head."""
import tilelang
import tilelang.language as T


@tilelang.jit(pass_configs={"tilelab.hardware_units": True, "tl.enable_fast_math": True})
def attention(B, S, H, D, BM, BN, stages, threads, causal=0):
    scale = 1.44269504 / D**0.5
    shape = (B, S, H, D)

    @T.prim_func
    def attention(Q: T.Tensor(shape, "float16"), K: T.Tensor(shape, "float16"), V: T.Tensor(shape, "float16"),
                  O: T.Tensor(shape, "float16")):
        with T.Kernel(S // BM, H, B, threads=threads) as (bx, by, bz):
            q = T.alloc_shared((BM, D), "float16")
            k = T.alloc_shared((BN, D), "float16")
            v = T.alloc_shared((BN, D), "float16")
            s = T.alloc_fragment((BM, BN), "float32")
            p = T.alloc_fragment((BM, BN), "float16")
            o = T.alloc_fragment((BM, D), "float32")
            top, old, part, total = (T.alloc_fragment((BM,), "float32"), T.alloc_fragment((BM,), "float32"),
                                     T.alloc_fragment((BM,), "float32"), T.alloc_fragment((BM,), "float32"))
            T.copy(Q[bz, bx * BM:(bx + 1) * BM, by, :], q)
            T.clear(o)
            T.clear(total)
            T.fill(top, -1e30)
            for j in T.Pipelined((bx + 1) * BM // BN if causal else S // BN, num_stages=stages):
                T.copy(K[bz, j * BN:(j + 1) * BN, by, :], k)
                T.gemm(q, k, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow, clear_accum=True)
                if causal:
                    for i, c in T.Parallel(BM, BN):
                        s[i, c] = T.if_then_else(bx * BM + i >= j * BN + c, s[i, c], -1e30)
                T.copy(V[bz, j * BN:(j + 1) * BN, by, :], v)
                T.copy(top, old)
                T.reduce_max(s, top, dim=1, clear=False)
                for i in T.Parallel(BM):
                    old[i] = T.exp2(old[i] * scale - top[i] * scale)
                for i, c in T.Parallel(BM, BN):
                    s[i, c] = T.exp2(s[i, c] * scale - top[i] * scale)
                T.reduce_sum(s, part, dim=1)
                for i in T.Parallel(BM):
                    total[i] = total[i] * old[i] + part[i]
                T.copy(s, p)
                for i, c in T.Parallel(BM, D):
                    o[i, c] *= old[i]
                T.gemm(p, v, o, policy=T.GemmWarpPolicy.FullRow)
            for i, c in T.Parallel(BM, D):
                o[i, c] /= total[i]
            T.copy(o, O[bz, bx * BM:(bx + 1) * BM, by, :])
    return attention
