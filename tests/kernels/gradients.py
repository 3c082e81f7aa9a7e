# SPDX-License-Identifier: Apache-2.0
"""Attention's backward pass over sequences of any length, causal or not, with heads that share keys."""
import numpy as np
import tilelang.language as T

from case import case, floats

TARGETS = ("mp_31", "mp_22", "sm_90a", "sm_80")
LOG2E = 1.44269504


def parts_of(lengths, H):
    """(rows, head) of each softmax."""
    ends = np.cumsum(lengths)
    return [(slice(end - n, end), head) for n, end in zip(lengths, ends) for head in range(H)]


def weights(q, k, D, causal):
    s = q @ k.T / np.sqrt(D)
    s = np.where(np.tri(len(s), dtype=bool), s, -np.inf) if causal else s
    return np.exp(s)


def gradients(x, lengths, H, G, D, causal):
    q, k, v, grad = (t.astype(np.float64) for t in x[:4])
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for part, head in parts_of(lengths, H):
        of, shared = (part, head), (part, head // (H // G))
        p = weights(q[of], k[shared], D, causal)
        p /= p.sum(1, keepdims=True)
        dp = grad[of] @ v[shared].T
        ds = p * (dp - (p * dp).sum(1, keepdims=True)) / np.sqrt(D)
        dq[of] += ds @ k[shared]
        dk[shared] += ds.T @ q[of]
        dv[shared] += p.T @ grad[of]
    return [dq, dk, dv]


def given(rng, lengths, H, G, D, causal):
    """Queries, keys, values, the gradient, log2 of each row's sum, the row's product with its gradient, and where the
    sequences begin."""
    n = sum(lengths)
    q, k, v, grad = (floats(rng, n, heads, D, dtype=np.float16) for heads in (H, G, G, H))
    sums, delta = np.zeros((H, n), np.float32), np.zeros((H, n), np.float32)
    for part, head in parts_of(lengths, H):
        of, shared = (part, head), (part, head // (H // G))
        p = weights(q[of].astype(np.float64), k[shared].astype(np.float64), D, causal)
        sums[head, part] = np.log2(p.sum(1))
        delta[head, part] = (p / p.sum(1, keepdims=True) @ v[shared].astype(np.float64) * grad[of]).sum(1)
    return [q, k, v, grad, sums, delta, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)]


# Only two terms of each sum are nonzero: their order has no effect.
@case(sizes=[dict(lengths=(64,), H=2, G=1, D=64, causal=True), dict(lengths=(40, 8), H=2, G=2, D=32, causal=False),
             dict(lengths=(24, 40, 8), H=2, G=1, D=32, causal=True), dict(lengths=(72,), H=1, G=1, D=32, causal=False)],
      inputs=given, reference=gradients, outputs=(-3, -2, -1), terms=lambda lengths, D, H, G, **_: 256 * H // G * max(*lengths, D),
      targets=TARGETS)
def attention_backward_of_sequences(lengths, H, G, D, causal):
    """A block for 64 keys iterates over the queries that attend to them; gradients that several blocks have parts of are added up.
    What a tile has of the next sequence adds zeros there."""
    n, longest, scale = sum(lengths), max(lengths), D**-0.5

    @T.prim_func
    def main(Q: T.Tensor((n, H, D), "float16"), K: T.Tensor((n, G, D), "float16"), V: T.Tensor((n, G, D), "float16"),
             Grad: T.Tensor((n, H, D), "float16"), Sums: T.Tensor((H, n), "float32"), Delta: T.Tensor((H, n), "float32"),
             Begin: T.Tensor((len(lengths) + 1,), "int32"), dQ: T.Tensor((n, H, D), "float32"),
             dK: T.Tensor((n, G, D), "float32"), dV: T.Tensor((n, G, D), "float32")):
        with T.Kernel(T.ceildiv(n, 32), H, threads=128) as (bx, by):
            for i, c in T.Parallel(32, D):
                dQ[bx * 32 + i, by, c] = 0.0
                if by < G:
                    dK[bx * 32 + i, by, c] = 0.0
                    dV[bx * 32 + i, by, c] = 0.0
        with T.Kernel(T.ceildiv(longest, 64), H, len(lengths), threads=128) as (bx, head, sequence):
            k = T.alloc_shared((64, D), "float16")
            v = T.alloc_shared((64, D), "float16")
            q = T.alloc_shared((32, D), "float16")
            g = T.alloc_shared((32, D), "float16")
            sums = T.alloc_shared((32,), "float32")
            delta = T.alloc_shared((32,), "float32")
            p = T.alloc_fragment((64, 32), "float32")
            ds = T.alloc_fragment((64, 32), "float32")
            half_p = T.alloc_shared((64, 32), "float16")
            half_ds = T.alloc_shared((64, 32), "float16")
            dk = T.alloc_fragment((64, D), "float32")
            dv = T.alloc_fragment((64, D), "float32")
            dq = T.alloc_fragment((32, D), "float32")
            first = Begin[sequence]
            count = Begin[sequence + 1] - first
            keys = first + bx * 64
            T.copy(K[keys:keys + 64, head // (H // G), :], k)
            T.copy(V[keys:keys + 64, head // (H // G), :], v)
            T.clear(dk)
            T.clear(dv)
            for j in T.Pipelined(bx * 2 if causal else 0, T.ceildiv(count, 32), num_stages=2):
                T.copy(Q[first + j * 32:first + j * 32 + 32, head, :], q)
                T.copy(Grad[first + j * 32:first + j * 32 + 32, head, :], g)
                T.copy(Sums[head, first + j * 32:first + j * 32 + 32], sums)
                T.copy(Delta[head, first + j * 32:first + j * 32 + 32], delta)
                T.gemm(k, q, p, transpose_B=True, clear_accum=True)
                T.gemm(v, g, ds, transpose_B=True, clear_accum=True)
                for i, c in T.Parallel(64, 32):
                    valid = (bx * 64 + i < count) and (j * 32 + c < count) and ((not causal) or bx * 64 + i <= j * 32 + c)
                    p[i, c] = T.if_then_else(valid, T.exp2(p[i, c] * (LOG2E * scale) - sums[c]), 0.0)
                    ds[i, c] = p[i, c] * (ds[i, c] - delta[c]) * scale
                T.copy(p, half_p)
                T.copy(ds, half_ds)
                T.gemm(half_p, g, dv)
                T.gemm(half_ds, q, dk)
                T.gemm(half_ds, k, dq, transpose_A=True, clear_accum=True)
                T.atomic_add(dQ[first + j * 32:first + j * 32 + 32, head, :], dq)
            T.atomic_add(dK[keys:keys + 64, head // (H // G), :], dk)
            T.atomic_add(dV[keys:keys + 64, head // (H // G), :], dv)
    return main
