# test: lower target=sm_90a after=elaborate
# SPDX-License-Identifier: Apache-2.0
# Values of int4 are i8 that wrap; two share a byte of memory; a product is of unpacked tiles.
def main(A: T.Tensor((64, 64), "int4"), X: T.Tensor((64, 64), "float32"), C: T.Tensor((64, 64), "int32"), D: T.Tensor((64, 64), "uint4")):
    with T.Kernel(1, threads=128):
        a = T.alloc_shared((64, 64), "int4")
        f = T.alloc_fragment((64, 64), "int4")
        c = T.alloc_fragment((64, 64), "int32")
        T.copy(A, a)
        T.gemm(a, a, c, transpose_B=True, clear_accum=True)
        T.copy(c, C)
        T.copy(X, f)
        for i, j in T.Parallel(64, 64):
            f[i, j] = f[i, j] * a[i, j] + T.int4(9)
        for i, j in T.Parallel(64, 64):
            D[i, j] = T.max(f[i, j], T.int4(0))
#> ir(1, level="tile", target="sm_90a")
#> def main(A: tensor(i8, [64, 32], pairs="i4"), X: tensor(f32, [64, 64]), C: tensor(i32, [64, 64]), D: tensor(u8, [64, 32], pairs="u4")):
#>     check_tensor(A, align=16)
#>     check_tensor(X, align=16)
#>     check_tensor(C, align=16, write=True)
#>     check_tensor(D, align=16, write=True)
#>     with kernel("main_k0", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         a = shared(i8, [64, 32], pairs="i4")
#>         f = fragment(i8, [64, 64])
#>         c = fragment(i32, [64, 64])
#>         copy(A, a)
#>         a_unpacked = shared(i8, [64, 64])
#>         for i_2, i_3 in parallel(64, 64):
#>             a_unpacked[i_2, i_3] = a[i_2, i_3 // 2] << 4 - i8(i_3 % 2 * 4) >> 4
#>         a_unpacked_1 = shared(i8, [64, 64])
#>         for i_4, i_5 in parallel(64, 64):
#>             a_unpacked_1[i_4, i_5] = a[i_4, i_5 // 2] << 4 - i8(i_5 % 2 * 4) >> 4
#>         gemm(a_unpacked, a_unpacked_1, c, tB=True, clear=True)
#>         copy(c, C)
#>         for i_6, i_7 in parallel(64, 64):
#>             f[i_6, i_7] = minimum(maximum(i8(X[i_6, i_7]), -8), 7)
#>         for i, j in parallel(64, 64, attrs={"coalesced_width": 8}):
#>             f[i, j] = (f[i, j] * (a[i, j // 2] << 4 - i8(j % 2 * 4) >> 4) << 4 >> 4) + -7 << 4 >> 4
#>         for i_1, j_1 in parallel(64, 32):
#>             D[i_1, j_1] = u8(maximum(f[i_1, j_1 * 2], 0)) & 15 & 15 | (u8(maximum(f[i_1, j_1 * 2 + 1], 0)) & 15) << 4
