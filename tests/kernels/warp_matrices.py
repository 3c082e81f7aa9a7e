# SPDX-License-Identifier: Apache-2.0
"""Explicit matrix instructions of a warp: T.ptx_ldmatrix and T.ptx_mma on local buffers, by TileLang's emitter and without it."""
import numpy as np
import tilelang.language as T
from tilelab.cuda.intrinsics import TensorCoreIntrinEmitter, get_swizzle_layout

from case import case, floats, integers

PLAIN, SWAPPED = dict(a_t=False, b_t=True), dict(a_t=True, b_t=False)


def product_of_warps(dtype, sums, M, N, K, a_t, b_t, BN=32, BK=32, stages=2, swizzled=False):
    warps = 128 // 32 if BN == 32 else 2
    columns = warps // 2
    emitter = TensorCoreIntrinEmitter(dtype, dtype, sums, a_t, b_t, 2, columns, 32, BN // columns, BK)

    @T.prim_func
    def main(A: T.Tensor((K, M) if a_t else (M, K), dtype), B: T.Tensor((N, K) if b_t else (K, N), dtype), C: T.Tensor((M, N), sums)):
        with T.Kernel(N // BN, M // 64, threads=warps * 32) as (bx, by):
            a = T.alloc_shared((BK, 64) if a_t else (64, BK), dtype)
            b = T.alloc_shared((BN, BK) if b_t else (BK, BN), dtype)
            a_local = T.alloc_local((emitter.warp_rows * emitter.local_size_a,), dtype)
            b_local = T.alloc_local((emitter.warp_cols * emitter.local_size_b,), dtype)
            c_local = T.alloc_local((emitter.warp_rows * emitter.warp_cols * emitter.local_size_out,), sums)
            if swizzled:
                T.annotate_layout({a: T.Layout((64, BK), lambda i, j: get_swizzle_layout(i, j, BK, dtype)),
                                   b: T.Layout((BN, BK), lambda i, j: get_swizzle_layout(i, j, BK, dtype))})
            T.clear(c_local)
            for k in T.Pipelined(K // BK, num_stages=stages):
                if a_t:
                    T.copy(A[k * BK, by * 64], a)
                else:
                    T.copy(A[by * 64, k * BK], a)
                if b_t:
                    T.copy(B[bx * BN, k * BK], b)
                else:
                    T.copy(B[k * BK, bx * BN], b)
                for step in T.serial(BK // emitter.micro_size_k):
                    emitter.ldmatrix_a(a_local, a, step)
                    emitter.ldmatrix_b(b_local, b, step)
                    emitter.mma(a_local, b_local, c_local)
            emitter.stmatrix(c_local, C, by, bx)
    return main


def of_integers(dtype):
    def inputs(rng, M, N, K, a_t, b_t, **_):
        return [integers(rng, *((K, M) if a_t else (M, K)), dtype=dtype, lo=-4, hi=5), integers(rng, *((N, K) if b_t else (K, N)), dtype=dtype, lo=-4, hi=5)]
    return inputs


def product(x, a_t, b_t, **_):
    return [(x[0].T if a_t else x[0]).astype(np.float64) @ (x[1].T if b_t else x[1]).astype(np.float64)]


@case(sizes=[dict(M=64, N=32, K=64, **PLAIN, swizzled=True), dict(M=64, N=32, K=64, **SWAPPED), dict(M=64, N=24, K=32, BN=24, **PLAIN)],
      inputs=of_integers(np.float16), reference=product, targets=("sm_90a", "mp_31"))
def warp_products_of_float16(**size):
    return product_of_warps("float16", "float32", **size)


@case(sizes=[dict(M=64, N=32, K=64, **PLAIN), dict(M=64, N=32, K=32, **SWAPPED), dict(M=64, N=8, K=32, BN=8, **SWAPPED)],
      inputs=of_integers(np.int8), reference=product, targets=("sm_90a",))
def warp_products_of_int8(**size):
    return product_of_warps("int8", "int32", **size)


@case(sizes=[dict(M=64, N=32, K=32, **PLAIN), dict(M=64, N=32, K=16, BK=16, **SWAPPED), dict(M=64, N=16, K=8, BN=16, BK=8, **PLAIN)],
      inputs=of_integers(np.float32), reference=product, targets=("sm_80",))
def warp_products_of_tf32(**size):
    return product_of_warps("float32", "float32", **size)


@case(sizes=[dict(M=64, N=32, K=16, BK=8, **PLAIN), dict(M=64, N=32, K=8, BK=8, **SWAPPED), dict(M=64, N=8, K=4, BN=8, BK=4, **PLAIN)],
      inputs=of_integers(np.float64), reference=product, targets=("mp_22",))
def warp_products_of_float64(**size):
    return product_of_warps("float64", "float64", **size)


@case(sizes=[dict(M=16, K=16), dict(M=48, K=32), dict(M=32, K=64)],
      inputs=lambda rng, M, K: [floats(rng, M, K, dtype=np.float16), floats(rng, 8, K, dtype=np.float16)],
      reference=lambda x, **_: [x[0].astype(np.float64) @ x[1].astype(np.float64).T], terms=lambda M, K: K, targets=("sm_80",))
def one_warp_multiplies(M, K):
    """Without the emitter: a loop selects registers, names hold their indices."""
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((8, K), "float16"), C: T.Tensor((M, 8), "float32")):
        with T.Kernel(1, threads=32):
            lane = T.get_thread_binding()
            a, b = T.alloc_shared((M, K), "float16"), T.alloc_shared((8, K), "float16")
            a_local, b_local = T.alloc_local((K // 2,), "float16"), T.alloc_local((K // 4,), "float16")
            sums = T.alloc_local((4,), "float32")
            T.copy(A, a)
            T.copy(B, b)
            for k in T.serial(K // 16):
                T.ptx_ldmatrix(T.bool(False), 2, T.access_ptr(b[lane % 8, k * 16 + lane // 8 % 2 * 8], "r"), T.access_ptr(b_local[k * 4], "w", extent=4))
            for i in T.serial(M // 16):
                for r in T.serial(4):
                    sums[r] = 0.0
                for k in T.serial(K // 16):
                    first = k * 8
                    T.ptx_ldmatrix(T.bool(False), 4, T.access_ptr(a[i * 16 + lane % 16, k * 16 + lane // 16 * 8], "r"),
                                   T.access_ptr(a_local[first], "w", extent=8))
                    T.ptx_mma("float32", "m16n8k16", "row", "col", "fp16", "fp16", "fp32", a_local.data, first, b_local.data, k * 4,
                              sums.data, 0, T.bool(False))
                for r in T.serial(4):
                    C[i * 16 + r // 2 * 8 + lane // 4, lane % 4 * 2 + r % 2] = sums[r]
    return main
