# test: everypass M=256 N=256 K=128
# SPDX-License-Identifier: Apache-2.0
def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float16")):
    T.annotate_pass_configs({"tilelab.hardware_units": False})
    with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
        A_s = T.alloc_shared((64, 32), "float16")
        B_s = T.alloc_shared((32, 64), "float16")
        C_l = T.alloc_fragment((64, 64), "float32")
        T.clear(C_l)
        for k in T.Pipelined(T.ceildiv(K, 32), num_stages=3):
            T.copy(A[by * 64, k * 32], A_s)
            T.copy(B[k * 32, bx * 64], B_s)
            T.gemm(A_s, B_s, C_l)
        T.copy(C_l, C[by * 64, bx * 64])
#> ir(1, level="flat", target="mp_31", after="simplify", configs={"tilelab.hardware_units": False})
#> def main(A: tensor(f16, [256, 128]), B: tensor(f16, [128, 256]), C: tensor(f16, [256, 256])):
#>     check_tensor(A, align=16)
#>     check_tensor(B, align=16)
#>     check_tensor(C, align=16, write=True)
#>     with kernel("main_k0", grid=[4, 4, 1], block=128, smem=8192, params=[A, B, C]) as (bx, by, bz):
#>         A_s = shared(f16, [2048], at=0)
#>         B_s = shared(f16, [2048], at=4096)
#>         C_l = local(f32, [32], of=frag([64, 64], [[r(4, 8), t(16, 8)], [r(2, 4), t(8, 1), r(4, 1)]]))
#>         for v in unroll(4):
#>             for v_1 in unroll(2):
#>                 for v_2 in unroll(4):
#>                     C_l[v * 8 + v_1 * 4 + v_2] = 0.0
#>         for k in serial(4):
#>             block_sync()
#>             for v in unroll(2):
#>                 A_s[v * 1024 + tid * 8:v * 1024 + tid * 8 + 8] = A[by * 8192 + tdiv(tid, 4) * 128 + v * 4096 + k * 32 + tmod(tid, 4) * 8:by * 8192 + tdiv(tid, 4) * 128 + v * 4096 + k * 32 + tmod(tid, 4) * 8 + 8]
#>             for v in unroll(2):
#>                 B_s[v * 1024 + tid * 8:v * 1024 + tid * 8 + 8] = B[k * 8192 + tdiv(tid, 8) * 256 + v * 4096 + bx * 64 + tmod(tid, 8) * 8:k * 8192 + tdiv(tid, 8) * 256 + v * 4096 + bx * 64 + tmod(tid, 8) * 8 + 8]
#>             block_sync()
#>             for k_1 in serial(32):
#>                 for i in unroll(4):
#>                     for j in unroll(2):
#>                         for j_1 in unroll(4):
#>                             C_l[i * 8 + j * 4 + j_1] = fma(f32(A_s[(tdiv(tid, 8) + i * 16) * 32 + k_1]), f32(B_s[k_1 * 64 + tmod(tid, 8) * 4 + j * 32 + j_1]), C_l[i * 8 + j * 4 + j_1])
#>         for v in unroll(4):
#>             for v_1 in unroll(2):
#>                 C[by * 16384 + tdiv(tid, 8) * 256 + v * 4096 + bx * 64 + tmod(tid, 8) * 4 + v_1 * 32:by * 16384 + tdiv(tid, 8) * 256 + v * 4096 + bx * 64 + tmod(tid, 8) * 4 + v_1 * 32 + 4] = f16(C_l[v * 8 + v_1 * 4:v * 8 + v_1 * 4 + 4])
