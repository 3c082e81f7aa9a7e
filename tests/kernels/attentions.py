# SPDX-License-Identifier: Apache-2.0
"""Attention in its kinds, with factors of products in fragments."""
import numpy as np
import tilelang.language as T

from case import case, floats

TARGETS = ("mp_31", "mp_22", "sm_90a", "sm_80")
LOG2E = 1.44269504


def rows(x, D, **_):
    q, k, v = (t.astype(np.float64) for t in x)
    s = q @ k.T / np.sqrt(D)
    p = np.exp(s - s.max(1, keepdims=True))
    return [p / p.sum(1, keepdims=True) @ v]


def queries(rng, S, R, D, **_):
    return [floats(rng, n, D, dtype=np.float16) for n in (S, R, R)]


@case(sizes=[dict(S=64, R=128, D=128, policy="Square"), dict(S=72, R=88, D=128, policy="FullRow"),
             dict(S=24, R=40, D=64, policy="Square")],
      inputs=queries, reference=rows, terms=lambda R, **_: 64 * R, targets=TARGETS)
def attention_of_wide_heads(S, R, D, policy):
    """The second product's left factor is a fragment, which not every unit reads; keys with a tail."""
    warps = getattr(T.GemmWarpPolicy, policy)

    @T.prim_func
    def main(Q: T.Tensor((S, D), "float16"), K: T.Tensor((R, D), "float16"), V: T.Tensor((R, D), "float16"),
             O: T.Tensor((S, D), "float16")):
        with T.Kernel(T.ceildiv(S, 64), threads=128) as bx:
            q = T.alloc_shared((64, D), "float16")
            k = T.alloc_shared((64, D), "float16")
            v = T.alloc_shared((64, D), "float16")
            s = T.alloc_fragment((64, 64), "float32")
            p = T.alloc_fragment((64, 64), "float16")
            o = T.alloc_fragment((64, D), "float32")
            top = T.alloc_fragment((64,), "float32")
            old = T.alloc_fragment((64,), "float32")
            part = T.alloc_fragment((64,), "float32")
            total = T.alloc_fragment((64,), "float32")
            T.copy(Q[bx * 64, 0], q)
            T.clear(o)
            T.clear(total)
            T.fill(top, -1e30)
            for j in T.Pipelined(T.ceildiv(R, 64), num_stages=2):
                T.copy(K[j * 64, 0], k)
                T.gemm(q, k, s, transpose_B=True, policy=warps, clear_accum=True)
                for i, c in T.Parallel(64, 64):
                    s[i, c] = T.if_then_else(j * 64 + c < R, s[i, c], -1e30)
                T.copy(V[j * 64, 0], v)
                T.copy(top, old)
                T.reduce_max(s, top, dim=1, clear=False)
                for i in T.Parallel(64):
                    old[i] = T.exp2((old[i] - top[i]) * (LOG2E / D**0.5))
                for i, c in T.Parallel(64, 64):
                    s[i, c] = T.exp2((s[i, c] - top[i]) * (LOG2E / D**0.5))
                T.reduce_sum(s, part, dim=1)
                for i in T.Parallel(64):
                    total[i] = total[i] * old[i] + part[i]
                T.copy(s, p)
                for i, c in T.Parallel(64, D):
                    o[i, c] *= old[i]
                T.gemm(p, v, o, policy=warps)
            for i, c in T.Parallel(64, D):
                o[i, c] /= total[i]
            T.copy(o, O[bx * 64, 0])
    return main


def product(x, ta, tb, **_):
    a, b = x[0].astype(np.float64), x[1].astype(np.float64)
    return [(a.T if ta else a) @ (b.T if tb else b)]


def factors(rng, M, N, K, ta, tb, **_):
    return [floats(rng, *((K, M) if ta else (M, K)), dtype=np.float16),
            floats(rng, *((N, K) if tb else (K, N)), dtype=np.float16)]


@case(sizes=[dict(M=64, N=64, K=64, ta=False, tb=False), dict(M=72, N=40, K=80, ta=True, tb=True),
             dict(M=8, N=64, K=24, ta=False, tb=True)],
      inputs=factors, reference=product, terms=lambda K, **_: K, targets=TARGETS)
def products_of_fragments(M, N, K, ta, tb):
    """Both factors in registers, which no unit reads so: through shared memory."""
    @T.prim_func
    def main(A: T.Tensor((K, M) if ta else (M, K), "float16"), B: T.Tensor((N, K) if tb else (K, N), "float16"),
             C: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_fragment((32, 64) if ta else (64, 32), "float16")
            b = T.alloc_fragment((64, 32) if tb else (32, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for k in T.serial(T.ceildiv(K, 32)):
                if ta:
                    T.copy(A[k * 32, by * 64], a)
                else:
                    T.copy(A[by * 64, k * 32], a)
                if tb:
                    T.copy(B[bx * 64, k * 32], b)
                else:
                    T.copy(B[k * 32, bx * 64], b)
                T.gemm(a, b, c, transpose_A=ta, transpose_B=tb)
            T.copy(c, C[by * 64, bx * 64])
    return main


def score_gradients(x, S, D, **_):
    """What attention's backward pass needs of one tile: products that read a tile in both ways."""
    q, k = (t.astype(np.float64) for t in x)
    s = (q @ k.T).astype(np.float16).astype(np.float64)
    return [s.T @ q, s @ k]


@case(sizes=[dict(S=64, D=64), dict(S=40, D=64), dict(S=32, D=32)], outputs=(-2, -1),
      inputs=lambda rng, S, D: [floats(rng, S, D, dtype=np.float16) / 4 for _ in range(2)],
      reference=score_gradients, terms=lambda S, D: 16 * S * D, targets=TARGETS)
def tiles_read_both_ways(S, D):
    """Rows of a tile are one product's K and another's M or N."""
    @T.prim_func
    def main(Q: T.Tensor((S, D), "float16"), K: T.Tensor((S, D), "float16"), X: T.Tensor((S, D), "float32"),
             Y: T.Tensor((S, D), "float32")):
        with T.Kernel(1, threads=128):
            q = T.alloc_shared((64, D), "float16")
            k = T.alloc_shared((64, D), "float16")
            s = T.alloc_fragment((64, 64), "float32")
            p = T.alloc_shared((64, 64), "float16")
            x = T.alloc_fragment((64, D), "float32")
            y = T.alloc_fragment((64, D), "float32")
            T.copy(Q[0, 0], q)
            T.copy(K[0, 0], k)
            T.gemm(q, k, s, transpose_B=True, clear_accum=True)
            T.copy(s, p)
            T.gemm(p, q, x, transpose_A=True, clear_accum=True)
            T.gemm(p, k, y, clear_accum=True)
            T.copy(x, X[0, 0])
            T.copy(y, Y[0, 0])
    return main
