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
    """Attention's backward pass for one tile: matmuls that read a tile and its transpose."""
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


def grouped(x, H, G, D, **_):
    q, k, v = (t.astype(np.float64).transpose(0, 2, 1, 3) for t in x)
    k, v = np.repeat(k, H // G, 1), np.repeat(v, H // G, 1)
    s = q @ k.transpose(0, 1, 3, 2) / np.sqrt(D)
    s = np.where(np.tri(q.shape[2], dtype=bool), s, -np.inf)
    p = np.exp(s - s.max(-1, keepdims=True))
    return [(p / p.sum(-1, keepdims=True) @ v).transpose(0, 2, 1, 3)]


@case(sizes=[dict(B=1, S=64, H=2, G=1, D=64), dict(B=2, S=40, H=2, G=2, D=32), dict(B=1, S=8, H=3, G=1, D=32)],
      inputs=lambda rng, B, S, H, G, D: [floats(rng, B, S, n, D, dtype=np.float16) for n in (H, G, G)],
      reference=grouped, terms=lambda S, **_: 64 * S, targets=TARGETS)
def attention_of_grouped_heads(B, S, H, G, D):
    """Causal; the head dimension is between rows and elements, and some share keys."""
    @T.prim_func
    def main(Q: T.Tensor((B, S, H, D), "float16"), K: T.Tensor((B, S, G, D), "float16"), V: T.Tensor((B, S, G, D), "float16"),
             O: T.Tensor((B, S, H, D), "float16")):
        with T.Kernel(T.ceildiv(S, 64), H, B, threads=128) as (bx, by, bz):
            q = T.alloc_shared((64, D), "float16")
            k = T.alloc_shared((32, D), "float16")
            v = T.alloc_shared((32, D), "float16")
            s = T.alloc_fragment((64, 32), "float32")
            p = T.alloc_fragment((64, 32), "float16")
            o = T.alloc_fragment((64, D), "float32")
            top = T.alloc_fragment((64,), "float32")
            old = T.alloc_fragment((64,), "float32")
            part = T.alloc_fragment((64,), "float32")
            total = T.alloc_fragment((64,), "float32")
            T.copy(Q[bz, bx * 64:(bx + 1) * 64, by, :], q)
            T.clear(o)
            T.clear(total)
            T.fill(top, -1e30)
            for j in T.Pipelined(T.ceildiv(T.min((bx + 1) * 64, S), 32), num_stages=2):
                T.copy(K[bz, j * 32:(j + 1) * 32, by // (H // G), :], k)
                T.gemm(q, k, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow, clear_accum=True)
                for i, c in T.Parallel(64, 32):
                    s[i, c] = T.if_then_else(bx * 64 + i >= j * 32 + c, s[i, c], -1e30)
                T.copy(V[bz, j * 32:(j + 1) * 32, by // (H // G), :], v)
                T.copy(top, old)
                T.reduce_max(s, top, dim=1, clear=False)
                for i in T.Parallel(64):
                    old[i] = T.exp2((old[i] - top[i]) * (LOG2E / D**0.5))
                for i, c in T.Parallel(64, 32):
                    s[i, c] = T.exp2((s[i, c] - top[i]) * (LOG2E / D**0.5))
                T.reduce_sum(s, part, dim=1)
                for i in T.Parallel(64):
                    total[i] = total[i] * old[i] + part[i]
                T.copy(s, p)
                for i, c in T.Parallel(64, D):
                    o[i, c] *= old[i]
                T.gemm(p, v, o, policy=T.GemmWarpPolicy.FullRow)
            for i, c in T.Parallel(64, D):
                o[i, c] /= total[i]
            T.copy(o, O[bz, bx * 64:(bx + 1) * 64, by, :])
    return main


def of_any_length(x, D, **_):
    q, k, v, ends = (t.astype(np.float64) if t.dtype.kind == "f" else t for t in x)
    return [np.concatenate([rows((q[a:b], k[a:b], v[a:b]), D)[0] for a, b in zip(ends[:-1], ends[1:])])]


@case(sizes=[dict(lengths=(64, 32), D=32), dict(lengths=(40, 72, 8), D=32), dict(lengths=(8,), D=64)],
      inputs=lambda rng, lengths, D: [floats(rng, sum(lengths), D, dtype=np.float16) for _ in range(3)]
      + [np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)],
      reference=of_any_length, terms=lambda lengths, **_: 64 * max(lengths), targets=TARGETS)
def attention_of_sequences(lengths, D):
    """Concatenated sequences of any length; the kernel reads where each begins."""
    n, longest = sum(lengths), max(lengths)

    @T.prim_func
    def main(Q: T.Tensor((n, D), "float16"), K: T.Tensor((n, D), "float16"), V: T.Tensor((n, D), "float16"),
             Begin: T.Tensor((len(lengths) + 1,), "int32"), O: T.Tensor((n, D), "float16")):
        with T.Kernel(T.ceildiv(longest, 64), len(lengths), threads=128) as (bx, by):
            q = T.alloc_shared((64, D), "float16")
            k = T.alloc_shared((32, D), "float16")
            v = T.alloc_shared((32, D), "float16")
            s = T.alloc_fragment((64, 32), "float32")
            p = T.alloc_fragment((64, 32), "float16")
            o = T.alloc_fragment((64, D), "float32")
            top = T.alloc_fragment((64,), "float32")
            old = T.alloc_fragment((64,), "float32")
            part = T.alloc_fragment((64,), "float32")
            total = T.alloc_fragment((64,), "float32")
            first = Begin[by]
            count = Begin[by + 1] - first
            T.copy(Q[first + bx * 64:first + bx * 64 + 64, :], q)
            T.clear(o)
            T.clear(total)
            T.fill(top, -1e30)
            for j in T.Pipelined(T.ceildiv(count, 32), num_stages=2):
                T.copy(K[first + j * 32:first + j * 32 + 32, :], k)
                T.copy(V[first + j * 32:first + j * 32 + 32, :], v)
                T.gemm(q, k, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow, clear_accum=True)
                for i, c in T.Parallel(64, 32):
                    s[i, c] = T.if_then_else(j * 32 + c < count, s[i, c] * (LOG2E / D**0.5), -1e30)
                T.copy(top, old)
                T.reduce_max(s, top, dim=1, clear=False)
                for i in T.Parallel(64):
                    old[i] = T.exp2(old[i] - top[i])
                for i, c in T.Parallel(64, 32):
                    s[i, c] = T.exp2(s[i, c] - top[i])
                T.reduce_sum(s, part, dim=1)
                for i in T.Parallel(64):
                    total[i] = total[i] * old[i] + part[i]
                T.copy(s, p)
                for i, c in T.Parallel(64, D):
                    o[i, c] *= old[i]
                T.gemm(p, v, o, policy=T.GemmWarpPolicy.FullRow)
            for i, c in T.Parallel(64, D):
                if bx * 64 + i < count:
                    O[first + bx * 64 + i, c] = o[i, c] / total[i]
    return main


def gradients(x, S, D):
    q, k, v, grad = (t.astype(np.float64) for t in x[:4])
    s = q @ k.T / np.sqrt(D)
    p = np.exp(s - s.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    dp = grad @ v.T
    ds = p * (dp - (p * dp).sum(1, keepdims=True)) / np.sqrt(D)
    return [ds @ k, ds.T @ q, p.T @ grad]


def with_sums(rng, S, D):
    """Queries, keys, values, the gradient, log2 of each row's sum, and the row's product with its gradient."""
    q, k, v, grad = (floats(rng, S, D, dtype=np.float16) for _ in range(4))
    s = q.astype(np.float64) @ k.T.astype(np.float64) / np.sqrt(D)
    out = np.exp(s) / np.exp(s).sum(1, keepdims=True) @ v.astype(np.float64)
    sums = np.log2(np.exp(s).sum(1)).astype(np.float32)
    return [q, k, v, grad, sums, (out * grad).sum(1).astype(np.float32)]


@case(sizes=[dict(S=64, D=64), dict(S=72, D=32), dict(S=8, D=32)], inputs=with_sums, reference=gradients, outputs=(-3, -2, -1),
      terms=lambda S, D: 256 * max(S, D), targets=TARGETS)
def attention_backward(S, D):
    """A block for 64 keys goes over the queries, and adds up their gradients with the other blocks."""
    @T.prim_func
    def main(Q: T.Tensor((S, D), "float16"), K: T.Tensor((S, D), "float16"), V: T.Tensor((S, D), "float16"),
             G: T.Tensor((S, D), "float16"), Sums: T.Tensor((S,), "float32"), Delta: T.Tensor((S,), "float32"),
             dQ: T.Tensor((S, D), "float32"), dK: T.Tensor((S, D), "float32"), dV: T.Tensor((S, D), "float32")):
        with T.Kernel(T.ceildiv(S, 64), threads=128) as bx:
            for i, c in T.Parallel(64, D):
                dQ[bx * 64 + i, c] = 0.0
        with T.Kernel(T.ceildiv(S, 64), threads=128) as bx:
            k = T.alloc_shared((64, D), "float16")
            v = T.alloc_shared((64, D), "float16")
            q = T.alloc_shared((32, D), "float16")
            g = T.alloc_shared((32, D), "float16")
            sums = T.alloc_shared((32,), "float32")
            delta = T.alloc_shared((32,), "float32")
            p = T.alloc_fragment((64, 32), "float32")
            ds = T.alloc_fragment((64, 32), "float32")
            half_p = T.alloc_fragment((64, 32), "float16")
            half_ds = T.alloc_fragment((64, 32), "float16")
            turned = T.alloc_shared((64, 32), "float16")
            dk = T.alloc_fragment((64, D), "float32")
            dv = T.alloc_fragment((64, D), "float32")
            dq = T.alloc_fragment((32, D), "float32")
            T.copy(K[bx * 64, 0], k)
            T.copy(V[bx * 64, 0], v)
            T.clear(dk)
            T.clear(dv)
            for j in T.Pipelined(T.ceildiv(S, 32), num_stages=2):
                T.copy(Q[j * 32, 0], q)
                T.copy(G[j * 32, 0], g)
                T.copy(Sums[j * 32], sums)
                T.copy(Delta[j * 32], delta)
                T.gemm(k, q, p, transpose_B=True, clear_accum=True)
                T.gemm(v, g, ds, transpose_B=True, clear_accum=True)
                for i, c in T.Parallel(64, 32):
                    p[i, c] = T.if_then_else((bx * 64 + i < S) and (j * 32 + c < S),
                                             T.exp2(p[i, c] * (LOG2E / D**0.5) - sums[c]), 0.0)
                    ds[i, c] = p[i, c] * (ds[i, c] - delta[c]) * (1 / D**0.5)
                T.copy(p, half_p)
                T.copy(ds, half_ds)
                T.gemm(half_p, g, dv)
                T.gemm(half_ds, q, dk)
                T.copy(half_ds, turned)
                T.gemm(turned, k, dq, transpose_A=True, clear_accum=True)
                T.atomic_add(dQ[j * 32, 0], dq)
            T.copy(dk, dK[bx * 64, 0])
            T.copy(dv, dV[bx * 64, 0])
    return main


def latent(x, D, P):
    q, qp, kv, kp = (t.astype(np.float64) for t in x)
    s = (q @ kv.T + qp @ kp.T) / np.sqrt(D + P)
    p = np.exp(s - s.max(1, keepdims=True))
    return [p / p.sum(1, keepdims=True) @ kv]


@case(sizes=[dict(H=64, S=64, D=64, P=16), dict(H=16, S=40, D=128, P=32), dict(H=8, S=8, D=64, P=16)],
      inputs=lambda rng, H, S, D, P, **_: [floats(rng, *shape, dtype=np.float16) for shape in ((H, D), (H, P), (S, D), (S, P))],
      reference=lambda x, D, P, **_: latent(x, D, P), terms=lambda S, D, **_: 64 * S, targets=TARGETS)
def attention_of_latent_keys(H, S, D, P, threads=128):
    """A step of decoding: all heads attend to one sequence, whose keys are its values, with a separate positional part."""
    @T.prim_func
    def main(Q: T.Tensor((H, D), "float16"), Qp: T.Tensor((H, P), "float16"), KV: T.Tensor((S, D), "float16"),
             Kp: T.Tensor((S, P), "float16"), O: T.Tensor((H, D), "float16")):
        with T.Kernel(T.ceildiv(H, 64), threads=threads) as bx:
            q = T.alloc_shared((64, D), "float16")
            qp = T.alloc_shared((64, P), "float16")
            kv = T.alloc_shared((32, D), "float16")
            kp = T.alloc_shared((32, P), "float16")
            s = T.alloc_fragment((64, 32), "float32")
            p = T.alloc_shared((64, 32), "float16")
            o = T.alloc_fragment((64, D), "float32")
            top = T.alloc_fragment((64,), "float32")
            old = T.alloc_fragment((64,), "float32")
            part = T.alloc_fragment((64,), "float32")
            total = T.alloc_fragment((64,), "float32")
            T.copy(Q[bx * 64, 0], q)
            T.copy(Qp[bx * 64, 0], qp)
            T.clear(o)
            T.clear(total)
            T.fill(top, -1e30)
            for j in T.Pipelined(T.ceildiv(S, 32), num_stages=2):
                T.copy(KV[j * 32, 0], kv)
                T.copy(Kp[j * 32, 0], kp)
                T.gemm(q, kv, s, transpose_B=True, policy=T.GemmWarpPolicy.FullCol, clear_accum=True)
                T.gemm(qp, kp, s, transpose_B=True, policy=T.GemmWarpPolicy.FullCol)
                for i, c in T.Parallel(64, 32):
                    s[i, c] = T.if_then_else(j * 32 + c < S, s[i, c] * (LOG2E / (D + P)**0.5), -1e30)
                T.copy(top, old)
                T.reduce_max(s, top, dim=1, clear=False)
                for i in T.Parallel(64):
                    old[i] = T.exp2(old[i] - top[i])
                for i, c in T.Parallel(64, 32):
                    s[i, c] = T.exp2(s[i, c] - top[i])
                T.reduce_sum(s, part, dim=1)
                T.copy(s, p)
                for i in T.Parallel(64):
                    total[i] = total[i] * old[i] + part[i]
                for i, c in T.Parallel(64, D):
                    o[i, c] *= old[i]
                T.gemm(p, kv, o, policy=T.GemmWarpPolicy.FullCol)
            for i, c in T.Parallel(64, D):
                o[i, c] /= total[i]
            T.copy(o, O[bx * 64, 0])
    return main


def linear(x, **_):
    q, k, v = (t.astype(np.float64) for t in x)
    return [np.tril(q @ k.T) @ v]


@case(sizes=[dict(S=128, D=32, E=32), dict(S=72, D=32, E=64), dict(S=8, D=32, E=32)],
      inputs=lambda rng, S, D, E: [floats(rng, S, n, dtype=np.float16) / 4 for n in (D, D, E)],
      reference=linear, terms=lambda S, D, **_: 64 * S, targets=TARGETS)
def attention_without_softmax(S, D, E):
    """Chunks of 64 rows, and a state that goes from one to the next."""
    @T.prim_func
    def main(Q: T.Tensor((S, D), "float16"), K: T.Tensor((S, D), "float16"), V: T.Tensor((S, E), "float16"),
             O: T.Tensor((S, E), "float32")):
        with T.Kernel(T.ceildiv(E, 32), threads=128) as bx:
            q = T.alloc_shared((64, D), "float16")
            k = T.alloc_shared((64, D), "float16")
            v = T.alloc_shared((64, 32), "float16")
            s = T.alloc_fragment((64, 64), "float32")
            p = T.alloc_shared((64, 64), "float16")
            state = T.alloc_fragment((D, 32), "float32")
            held = T.alloc_shared((D, 32), "float16")
            o = T.alloc_fragment((64, 32), "float32")
            T.clear(state)
            for j in T.Pipelined(T.ceildiv(S, 64), num_stages=2):
                T.copy(Q[j * 64, 0], q)
                T.copy(K[j * 64, 0], k)
                T.copy(V[j * 64, bx * 32], v)
                T.gemm(q, k, s, transpose_B=True, clear_accum=True)
                for i, c in T.Parallel(64, 64):
                    p[i, c] = T.if_then_else(i >= c, s[i, c], 0.0)
                T.copy(state, held)
                T.gemm(p, v, o, clear_accum=True)
                T.gemm(q, held, o)
                T.gemm(k, v, state, transpose_A=True)
                T.copy(o, O[j * 64, bx * 32])
    return main


def largest(x, k, **_):
    order = np.argsort(-x[0].astype(np.float64), axis=1, kind="stable")[:, :k]
    return [np.take_along_axis(x[0], order, 1).astype(np.float64), order.astype(np.int32)]


@case(sizes=[dict(M=8, N=32, k=4), dict(M=5, N=40, k=3), dict(M=1, N=8, k=8)], outputs=(-2, -1),
      inputs=lambda rng, M, N, **_: [rng.permuted(np.arange(M * N, dtype=np.float32).reshape(M, N), axis=1)], reference=largest,
      targets=TARGETS)
def largest_of_rows(M, N, k, rows=4, threads=128):
    """The k largest of each row and where they are, one after another."""
    @T.prim_func
    def main(X: T.Tensor((M, N), "float32"), Values: T.Tensor((M, k), "float32"), Places: T.Tensor((M, k), "int32")):
        with T.Kernel(T.ceildiv(M, rows), threads=threads) as bx:
            x = T.alloc_fragment((rows, N), "float32")
            at = T.alloc_fragment((rows, N), "int32")
            top = T.alloc_fragment((rows,), "float32")
            place = T.alloc_fragment((rows,), "int32")
            T.copy(X[bx * rows, 0], x)
            for n in T.serial(k):
                T.reduce_max(x, top, dim=1, clear=True)
                for i, j in T.Parallel(rows, N):
                    at[i, j] = T.if_then_else(x[i, j] == top[i], j, N)
                T.reduce_min(at, place, dim=1, clear=True)
                for i, j in T.Parallel(rows, N):
                    x[i, j] = T.if_then_else(j == place[i], -1e30, x[i, j])
                for i in T.Parallel(rows):
                    if bx * rows + i < M:
                        Values[bx * rows + i, n] = top[i]
                        Places[bx * rows + i, n] = place[i]
    return main
