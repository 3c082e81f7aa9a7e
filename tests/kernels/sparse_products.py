# SPDX-License-Identifier: Apache-2.0
"""T.gemm_sp: products of matrices of which two of four elements, or one of two, are kept with their places."""
import numpy as np
import tilelang.language as T

from case import EVERY, case


def drawn(rng, M, K, group):
    """Small integers of which half of each group is kept, and the places of the kept ones, ascending."""
    kept = group // 2
    places = np.sort(rng.permuted(np.tile(np.arange(group), (M, K // group, 1)), axis=2)[..., :kept], axis=2)
    return rng.integers(-3, 4, (M, K // 2)).astype(np.int8), places


def metadata(places, bits):
    """Four bits for each group, the first in the lowest bits; those of a group of two are the places of its halves."""
    codes = places[..., 0] | places[..., 1] << 2 if places.shape[2] == 2 else places[..., 0] * 10 | 4
    words = (codes.reshape(len(codes), -1, bits // 4) << 4 * np.arange(bits // 4)).sum(2)
    return words.astype(f"uint{bits}").view(f"int{bits}")


def sparse(rng, M, N, K, dtype, bits, ta=False, te=False, tb=False):
    values, places = drawn(rng, M, K, 2 if dtype == "float32" else 4)
    e, b = metadata(places, bits), rng.integers(-3, 4, (N, K) if tb else (K, N)).astype(dtype)
    values = values.astype(dtype)
    return [np.ascontiguousarray(values.T if ta else values), np.ascontiguousarray(e.T if te else e), b]


def whole(values, words, dtype, bits):
    group = 2 if dtype == "float32" else 4
    codes = (words.view(f"uint{bits}").astype(np.int64)[..., None] >> 4 * np.arange(bits // 4) & 15).reshape(len(words), -1)
    places = (codes & 3) // 2 if group == 2 else np.stack([codes & 3, codes >> 2], -1)
    dense = np.zeros((len(words), codes.shape[1], group))
    np.put_along_axis(dense, places.reshape(*codes.shape, -1), values.reshape(*codes.shape, -1).astype(np.float64), 2)
    return dense.reshape(len(words), -1)


def product(x, dtype, bits, ta=False, te=False, tb=False, **_):
    a = whole(x[0].T if ta else x[0], np.ascontiguousarray(x[1].T if te else x[1]), dtype, bits)
    return [a @ (x[2].T if tb else x[2]).astype(np.float64)]


@case(sizes=[dict(M=64, N=96, K=128, dtype="float16", bits=16), dict(M=64, N=64, K=128, dtype="int8", bits=8, tb=True),
             dict(M=40, N=30, K=96, dtype="float16", bits=32, te=True), dict(M=64, N=32, K=64, dtype="float32", bits=16),
             dict(M=33, N=20, K=64, dtype="float16", bits=8, ta=True, te=True, tb=True)],
      inputs=sparse, reference=product, targets=EVERY)
def sparse_product(M, N, K, dtype, bits, ta=False, te=False, tb=False):
    sums = "int32" if dtype == "int8" else "float32"
    per = bits // 4 * (2 if dtype == "float32" else 4)

    @T.prim_func
    def main(A: T.Tensor((K // 2, M) if ta else (M, K // 2), dtype), E: T.Tensor((K // per, M) if te else (M, K // per), f"int{bits}"),
             B: T.Tensor((N, K) if tb else (K, N), dtype), C: T.Tensor((M, N), sums)):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((32, 64) if ta else (64, 32), dtype)
            e = T.alloc_shared((64 // per, 64) if te else (64, 64 // per), f"int{bits}")
            b = T.alloc_shared((32, 64) if tb else (64, 32), dtype)
            c = T.alloc_fragment((64, 32), sums)
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 64), num_stages=2):
                if ta:
                    T.copy(A[k * 32, by * 64], a)
                else:
                    T.copy(A[by * 64, k * 32], a)
                if te:
                    T.copy(E[k * (64 // per), by * 64], e)
                else:
                    T.copy(E[by * 64, k * (64 // per)], e)
                if tb:
                    T.copy(B[bx * 32, k * 64], b)
                else:
                    T.copy(B[k * 64, bx * 32], b)
                T.gemm_sp(a, e, b, c, transpose_A=ta, transpose_E=te, transpose_B=tb)
            T.copy(c, C[by * 64, bx * 32])
    return main


@case(sizes=[dict(M=64, N=64, K=128), dict(M=50, N=40, K=192), dict(M=16, N=8, K=64)], targets=EVERY,
      inputs=lambda rng, M, N, K: sparse(rng, M, N, K, "float16", 16), reference=lambda x, M, N, K: product(x, "float16", 16))
def sparse_product_of_slots(M, N, K):
    """Slots of rings as operands; the first product clears."""
    @T.prim_func
    def main(A: T.Tensor((M, K // 2), "float16"), E: T.Tensor((M, K // 16), "int16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((2, 64, 32), "float16")
            e = T.alloc_shared((2, 64, 4), "int16")
            b = T.alloc_shared((2, 64, 32), "float16")
            c = T.alloc_fragment((64, 32), "float32")
            for k in T.serial(T.ceildiv(K, 64)):
                T.copy(A[by * 64, k * 32], a[k % 2, :, :])
                T.copy(E[by * 64, k * 4], e[k % 2, :, :])
                T.copy(B[k * 64, bx * 32], b[k % 2, :, :])
                T.gemm_sp(a[k % 2, :, :], e[k % 2, :, :], b[k % 2, :, :], c, clear_accum=k == 0)
            T.copy(c, C[by * 64, bx * 32])
    return main
