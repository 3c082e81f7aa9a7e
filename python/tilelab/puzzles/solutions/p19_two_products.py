# SPDX-License-Identifier: Apache-2.0
import tilelab as tilelang
import tilelab.language as T


@tilelang.jit
def two_products(A, B, C, TM: int, TS: int):
    M, S, D = T.const("M, S, D")
    A: T.Tensor((M, D), "float16")
    B: T.Tensor((S, D), "float16")
    C: T.Tensor((S, D), "float16")
    O = T.empty((M, D), "float16")
    with T.Kernel(T.ceildiv(M, TM), threads=128) as block:
        a = T.alloc_shared((TM, D), "float16")
        b = T.alloc_shared((TS, D), "float16")
        c = T.alloc_shared((TS, D), "float16")
        p = T.alloc_shared((TM, TS), "float16")
        s = T.alloc_fragment((TM, TS), "float32")
        o = T.alloc_fragment((TM, D), "float32")
        T.copy(A[block * TM, 0], a)
        T.clear(o)
        for n in T.Pipelined(T.ceildiv(S, TS), num_stages=2):
            T.copy(B[n * TS, 0], b)
            T.copy(C[n * TS, 0], c)
            T.gemm(a, b, s, transpose_B=True, clear_accum=True)
            T.copy(s, p)
            T.gemm(p, c, o)
        T.copy(o, O[block * TM, 0])
    return O
