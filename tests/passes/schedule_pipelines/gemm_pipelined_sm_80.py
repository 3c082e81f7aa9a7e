# test: everypass target=sm_80 M=256 N=256 K=256
# SPDX-License-Identifier: Apache-2.0
def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float16")):
    T.annotate_pass_configs({"tilelab.hardware_units": True})
    with T.Kernel(T.ceildiv(N, 128), T.ceildiv(M, 128), threads=128) as (bx, by):
        A_s = T.alloc_shared((128, 64), "float16")
        B_s = T.alloc_shared((64, 128), "float16")
        C_l = T.alloc_fragment((128, 128), "float32")
        T.clear(C_l)
        for k in T.Pipelined(T.ceildiv(K, 64), num_stages=3):
            T.copy(A[by * 128, k * 64], A_s)
            T.copy(B[k * 64, bx * 128], B_s)
            T.gemm(A_s, B_s, C_l)
        T.copy(C_l, C[by * 128, bx * 128])
#> ir(1, level="flat", target="sm_80", after="simplify", configs={"tilelab.hardware_units": True})
#> def main(A: tensor(f16, [256, 256]), B: tensor(f16, [256, 256]), C: tensor(f16, [256, 256])):
#>     check_tensor(A, align=16)
#>     check_tensor(B, align=16)
#>     check_tensor(C, align=16, write=True)
#>     with kernel("main_k0", grid=[2, 2, 1], block=128, smem=131072, params=[A, B, C]) as (bx, by, bz):
#>         C_l_rows = shared(f16, [16384], at=0)
#>         A_s = shared(f16, [24576], at=32768)
#>         B_s = shared(f16, [24576], at=81920)
#>         C_l = local(f32, [128], of=frag([128, 128], [[t(2, 32), r(4, 32), r(2, 2), t(8, 4)], [t(2, 64), r(8, 4), t(4, 1), r(2, 1)]]))
#>         ring_in = var(i32, 0)
#>         ring_out = var(i32, 0)
#>         unit = uniform(tdiv(tid, 32))
#>         for v in unroll(4):
#>             for v_1 in unroll(2):
#>                 for v_2 in unroll(8):
#>                     for v_3 in unroll(2):
#>                         C_l[v * 32 + v_1 * 2 + v_2 * 4 + v_3] = 0.0
#>         for p in unroll(2):
#>             w = ring_in
#>             for v in unroll(8):
#>                 cp_async(A_s[w * 8192 + v * 1024 + (tid * 8 ^ (tdiv(tid, 8) & 7) * 8):w * 8192 + v * 1024 + (tid * 8 ^ (tdiv(tid, 8) & 7) * 8) + 8], A[by * 32768 + tdiv(tid, 8) * 256 + v * 4096 + p * 64 + tmod(tid, 8) * 8:by * 32768 + tdiv(tid, 8) * 256 + v * 4096 + p * 64 + tmod(tid, 8) * 8 + 8])
#>             for v in unroll(8):
#>                 cp_async(B_s[w * 8192 + v * 512 + tmod(tdiv(tid, 8), 2) * 4096 + (tdiv(tid, 16) * 64 + tmod(tid, 8) * 8 ^ (tdiv(tid, 16) & 7) * 8):w * 8192 + v * 512 + tmod(tdiv(tid, 8), 2) * 4096 + (tdiv(tid, 16) * 64 + tmod(tid, 8) * 8 ^ (tdiv(tid, 16) & 7) * 8) + 8], B[p * 16384 + tdiv(tid, 16) * 256 + v * 2048 + bx * 128 + tmod(tid, 16) * 8:p * 16384 + tdiv(tid, 16) * 256 + v * 2048 + bx * 128 + tmod(tid, 16) * 8 + 8])
#>             cp_commit()
#>             ring_in = 0 if ring_in == 2 else ring_in + 1
#>         A_r = local(f16, [64])
#>         B_r = local(f16, [64])
#>         for i in unroll(32):
#>             A_r[32 + i] = 0.0
#>         for i in unroll(32):
#>             B_r[32 + i] = 0.0
#>         for k in serial(4):
#>             s = ring_out
#>             cp_wait(1)
#>             block_sync()
#>             for i in unroll(4):
#>                 ldmatrix(A_r[i * 8:i * 8 + 8], A_s[s * 8192 + tmod(unit, 2) * 4096 + i * 1024 + (tmod(lane, 16) * 64 + tdiv(lane, 16) * 8 ^ (tmod(lane, 16) & 7) * 8)])
#>             for j in unroll(4):
#>                 ldmatrix(B_r[j * 8:j * 8 + 8], B_s[s * 8192 + tdiv(unit, 2) * 4096 + (tmod(lane, 16) * 64 + j * 16 + tdiv(lane, 16) * 8 ^ (tmod(lane, 16) & 7) * 8)], trans=True)
#>             for i in unroll(4):
#>                 for j in unroll(8):
#>                     mma(C_l[(i * 8 + j) * 4:(i * 8 + j) * 4 + 4], A_r[32 + i * 8:32 + i * 8 + 8], B_r[32 + j * 4:32 + j * 4 + 4], shape="m16n8k16")
#>             for k_1 in unroll(1, 4):
#>                 for i in unroll(4):
#>                     ldmatrix(A_r[tmod(k_1, 2) * 32 + i * 8:tmod(k_1, 2) * 32 + i * 8 + 8], A_s[s * 8192 + tmod(unit, 2) * 4096 + i * 1024 + (tmod(lane, 16) * 64 + k_1 * 16 + tdiv(lane, 16) * 8 ^ (tmod(lane, 16) & 7) * 8)])
#>                 for j in unroll(4):
#>                     ldmatrix(B_r[tmod(k_1, 2) * 32 + j * 8:tmod(k_1, 2) * 32 + j * 8 + 8], B_s[s * 8192 + k_1 * 1024 + tdiv(unit, 2) * 4096 + (tmod(lane, 16) * 64 + j * 16 + tdiv(lane, 16) * 8 ^ (tmod(lane, 16) & 7) * 8)], trans=True)
#>                 for i in unroll(4):
#>                     for j in unroll(8):
#>                         mma(C_l[(i * 8 + j) * 4:(i * 8 + j) * 4 + 4], A_r[tmod(k_1 + 1, 2) * 32 + i * 8:tmod(k_1 + 1, 2) * 32 + i * 8 + 8], B_r[tmod(k_1 + 1, 2) * 32 + j * 4:tmod(k_1 + 1, 2) * 32 + j * 4 + 4], shape="m16n8k16")
#>             w = ring_in
#>             if k + 2 < 4:
#>                 for v in unroll(8):
#>                     cp_async(A_s[w * 8192 + v * 1024 + (tid * 8 ^ (tdiv(tid, 8) & 7) * 8):w * 8192 + v * 1024 + (tid * 8 ^ (tdiv(tid, 8) & 7) * 8) + 8], A[by * 32768 + tdiv(tid, 8) * 256 + v * 4096 + k * 64 + tmod(tid, 8) * 8 + 128:by * 32768 + tdiv(tid, 8) * 256 + v * 4096 + k * 64 + tmod(tid, 8) * 8 + 128 + 8])
#>                 for v in unroll(8):
#>                     cp_async(B_s[w * 8192 + v * 512 + tmod(tdiv(tid, 8), 2) * 4096 + (tdiv(tid, 16) * 64 + tmod(tid, 8) * 8 ^ (tdiv(tid, 16) & 7) * 8):w * 8192 + v * 512 + tmod(tdiv(tid, 8), 2) * 4096 + (tdiv(tid, 16) * 64 + tmod(tid, 8) * 8 ^ (tdiv(tid, 16) & 7) * 8) + 8], B[k * 16384 + tdiv(tid, 16) * 256 + v * 2048 + bx * 128 + tmod(tid, 16) * 8 + 32768:k * 16384 + tdiv(tid, 16) * 256 + v * 2048 + bx * 128 + tmod(tid, 16) * 8 + 32768 + 8])
#>             cp_commit()
#>             ring_in = 0 if ring_in == 2 else ring_in + 1
#>             ring_out = 0 if ring_out == 2 else ring_out + 1
#>         for i in unroll(4):
#>             for j in unroll(8):
#>                 mma(C_l[(i * 8 + j) * 4:(i * 8 + j) * 4 + 4], A_r[32 + i * 8:32 + i * 8 + 8], B_r[32 + j * 4:32 + j * 4 + 4], shape="m16n8k16")
#>         for v in unroll(4):
#>             for v_1 in unroll(2):
#>                 for v_2 in unroll(8):
#>                     C_l_rows[tmod(tdiv(tid, 32), 2) * 4096 + v * 1024 + v_1 * 512 + tdiv(tid, 64) * 8192 + (tmod(tdiv(tid, 4), 8) * 64 + tmod(tid, 4) * 2 + v_2 * 8 ^ (tmod(tdiv(tid, 4), 8) & 7) * 8):tmod(tdiv(tid, 32), 2) * 4096 + v * 1024 + v_1 * 512 + tdiv(tid, 64) * 8192 + (tmod(tdiv(tid, 4), 8) * 64 + tmod(tid, 4) * 2 + v_2 * 8 ^ (tmod(tdiv(tid, 4), 8) & 7) * 8) + 2] = f16(C_l[v * 32 + v_1 * 2 + v_2 * 4:v * 32 + v_1 * 2 + v_2 * 4 + 2])
#>         block_sync()
#>         for v in unroll(16):
#>             C[by * 32768 + tdiv(tid, 16) * 256 + v * 2048 + bx * 128 + tmod(tid, 16) * 8:by * 32768 + tdiv(tid, 16) * 256 + v * 2048 + bx * 128 + tmod(tid, 16) * 8 + 8] = C_l_rows[v * 512 + tmod(tdiv(tid, 8), 2) * 8192 + (tdiv(tid, 16) * 64 + tmod(tid, 8) * 8 ^ (tdiv(tid, 16) & 7) * 8):v * 512 + tmod(tdiv(tid, 8), 2) * 8192 + (tdiv(tid, 16) * 64 + tmod(tid, 8) * 8 ^ (tdiv(tid, 16) & 7) * 8) + 8]
