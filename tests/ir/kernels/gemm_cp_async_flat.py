# test: roundtrip
# SPDX-License-Identifier: Apache-2.0
# GEMM for sm_80: a ring of three stages filled by per-thread copies, ldmatrix, mma.sync; M is dynamic.
ir(1, level="flat", target="sm_80", after="simplify")
def matmul(A: tensor(f16, [M, 256]), B: tensor(f16, [256, 128]), C: tensor(f16, [M, 128]), *, M: dim(i32, 0, 2147418112)):
    bind(M, A, 0)
    check_tensor(A, align=16)
    check_tensor(B, align=16)
    check_tensor(C, align=16, write=True)
    with kernel("matmul_k0", grid=[1, ceildiv(M, 128), 1], block=128, smem=49152, params=[A, B, C, M]) as (bx, by, bz):
        A_s = shared(f16, [12288], at=0)
        B_s = shared(f16, [12288], at=24576)
        C_l = local(f32, [128], of=frag([128, 128], [[t(2, 32), r(4, 32), r(2, 2), t(8, 4)], [t(2, 64), r(4, 8), r(2, 4), t(4, 1), r(2, 1)]]))
        ab_in = var(i32, 0)
        ab_out = var(i32, 0)
        unit = uniform(tdiv(tid, 32))
        for v in unroll(4):
            for v_1 in unroll(2):
                for v_2 in unroll(4):
                    for v_3 in unroll(2):
                        for v_4 in unroll(2):
                            C_l[v * 32 + v_1 * 2 + v_2 * 8 + v_3 * 4 + v_4] = 0.0
        for p in unroll(2):
            s = ab_in
            for v in unroll(4):
                cp_async(A_s[s * 4096 + v * 1024 + (tid * 8 ^ (tdiv(tid, 8) & 3) * 8):s * 4096 + v * 1024 + (tid * 8 ^ (tdiv(tid, 8) & 3) * 8) + 8], A[i64(by * 128 + tdiv(tid, 4) + v * 32) * 256 + i64(p * 32 + tmod(tid, 4) * 8):i64(by * 128 + tdiv(tid, 4) + v * 32) * 256 + i64(p * 32 + tmod(tid, 4) * 8) + 8], by * 128 + tdiv(tid, 4) + v * 32 < M)
            for v in unroll(4):
                cp_async(B_s[s * 4096 + v * 512 + tmod(tdiv(tid, 8), 2) * 2048 + (tdiv(tid, 16) * 64 + tmod(tid, 8) * 8 ^ (tdiv(tid, 16) & 7) * 8):s * 4096 + v * 512 + tmod(tdiv(tid, 8), 2) * 2048 + (tdiv(tid, 16) * 64 + tmod(tid, 8) * 8 ^ (tdiv(tid, 16) & 7) * 8) + 8], B[p * 4096 + v * 1024 + bx * 128 + tid * 8:p * 4096 + v * 1024 + bx * 128 + tid * 8 + 8])
            cp_commit()
            ab_in = 0 if ab_in == 2 else ab_in + 1
        A_r = local(f16, [64])
        B_r = local(f16, [64])
        for i in unroll(32):
            A_r[32 + i] = 0.0
        for i in unroll(32):
            B_r[32 + i] = 0.0
        for k in serial(8):
            s = ab_out
            cp_wait(1)
            block_sync()
            for i in unroll(4):
                ldmatrix(A_r[i * 8:i * 8 + 8], A_s[s * 4096 + tmod(unit, 2) * 2048 + i * 512 + (tmod(lane, 16) * 32 + tdiv(lane, 16) * 8 ^ (tmod(tdiv(lane, 2), 8) & 3) * 8)])
            for j in unroll(4):
                ldmatrix(B_r[j * 8:j * 8 + 8], B_s[s * 4096 + tdiv(unit, 2) * 2048 + (tmod(lane, 16) * 64 + j * 16 + tdiv(lane, 16) * 8 ^ (tmod(lane, 16) & 7) * 8)], trans=True)
            for i in unroll(4):
                for j in unroll(8):
                    mma(C_l[(i * 8 + j) * 4:(i * 8 + j) * 4 + 4], A_r[32 + i * 8:32 + i * 8 + 8], B_r[32 + j * 4:32 + j * 4 + 4], shape="m16n8k16")
            for i in unroll(4):
                ldmatrix(A_r[32 + i * 8:32 + i * 8 + 8], A_s[s * 4096 + tmod(unit, 2) * 2048 + i * 512 + (tmod(lane, 16) * 32 + tdiv(lane, 16) * 8 + 16 ^ (tmod(tdiv(lane, 2), 8) & 3) * 8)])
            for j in unroll(4):
                ldmatrix(B_r[32 + j * 8:32 + j * 8 + 8], B_s[s * 4096 + tdiv(unit, 2) * 2048 + 1024 + (tmod(lane, 16) * 64 + j * 16 + tdiv(lane, 16) * 8 ^ (tmod(lane, 16) & 7) * 8)], trans=True)
            for i in unroll(4):
                for j in unroll(8):
                    mma(C_l[(i * 8 + j) * 4:(i * 8 + j) * 4 + 4], A_r[i * 8:i * 8 + 8], B_r[j * 4:j * 4 + 4], shape="m16n8k16")
            w = ab_in
            if k + 2 < 8:
                for v in unroll(4):
                    cp_async(A_s[w * 4096 + v * 1024 + (tid * 8 ^ (tdiv(tid, 8) & 3) * 8):w * 4096 + v * 1024 + (tid * 8 ^ (tdiv(tid, 8) & 3) * 8) + 8], A[i64(by * 128 + tdiv(tid, 4) + v * 32) * 256 + i64(k * 32 + tmod(tid, 4) * 8 + 64):i64(by * 128 + tdiv(tid, 4) + v * 32) * 256 + i64(k * 32 + tmod(tid, 4) * 8 + 64) + 8], by * 128 + tdiv(tid, 4) + v * 32 < M)
                for v in unroll(4):
                    cp_async(B_s[w * 4096 + v * 512 + tmod(tdiv(tid, 8), 2) * 2048 + (tdiv(tid, 16) * 64 + tmod(tid, 8) * 8 ^ (tdiv(tid, 16) & 7) * 8):w * 4096 + v * 512 + tmod(tdiv(tid, 8), 2) * 2048 + (tdiv(tid, 16) * 64 + tmod(tid, 8) * 8 ^ (tdiv(tid, 16) & 7) * 8) + 8], B[k * 4096 + v * 1024 + bx * 128 + tid * 8 + 8192:k * 4096 + v * 1024 + bx * 128 + tid * 8 + 8192 + 8])
            cp_commit()
            ab_in = 0 if ab_in == 2 else ab_in + 1
            ab_out = 0 if ab_out == 2 else ab_out + 1
        for i in unroll(4):
            for j in unroll(8):
                mma(C_l[(i * 8 + j) * 4:(i * 8 + j) * 4 + 4], A_r[32 + i * 8:32 + i * 8 + 8], B_r[32 + j * 4:32 + j * 4 + 4], shape="m16n8k16")
        for v in unroll(4):
            for v_1 in unroll(2):
                if by * 128 + tmod(tdiv(tid, 32), 2) * 64 + tmod(tdiv(tid, 4), 8) + v * 16 + v_1 * 8 < M:
                    for v_2 in unroll(4):
                        for v_3 in unroll(2):
                            C[i64(by * 128 + tmod(tdiv(tid, 32), 2) * 64 + tmod(tdiv(tid, 4), 8) + v * 16 + v_1 * 8) * 128 + i64(bx * 128 + tdiv(tid, 64) * 64 + tmod(tid, 4) * 2 + v_2 * 16 + v_3 * 8):i64(by * 128 + tmod(tdiv(tid, 32), 2) * 64 + tmod(tdiv(tid, 4), 8) + v * 16 + v_1 * 8) * 128 + i64(bx * 128 + tdiv(tid, 64) * 64 + tmod(tid, 4) * 2 + v_2 * 16 + v_3 * 8) + 2] = f16(C_l[v * 32 + v_1 * 2 + v_2 * 8 + v_3 * 4:v * 32 + v_1 * 2 + v_2 * 8 + v_3 * 4 + 2])
