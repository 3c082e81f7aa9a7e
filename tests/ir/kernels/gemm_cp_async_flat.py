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
        A_r = local(f16, [32], of=frag([128, 16], [[t(2, 32), r(4, 8), r(2, 2), t(8, 4)], [r(2, 4), t(4, 1), r(2, 1)]], rep=[t(2, 64)]))
        B_r = local(f16, [32], of=frag([16, 128], [[r(2, 2), t(4, 1), r(2, 1)], [t(2, 64), r(4, 8), r(2, 4), t(8, 4)]], rep=[t(2, 32)]))
        wm = uniform(tmod(warp, 2))
        wn = uniform(tdiv(warp, 2))
        for i in unroll(128):
            C_l[i] = 0.0
        for p in unroll(2):
            for v in unroll(4):
                cp_async(A_s[tdiv(p * 8192 + v * 2048 + tid * 16 ^ (p * 64 + v * 16 + tdiv(tid, 8) & 3) * 16, 2):tdiv(p * 8192 + v * 2048 + tid * 16 ^ (p * 64 + v * 16 + tdiv(tid, 8) & 3) * 16, 2) + 8], A[i64(by * 128 + tdiv(tid, 4) + 32 * v) * 256 + i64(p * 32 + tmod(tid, 4) * 8):i64(by * 128 + tdiv(tid, 4) + 32 * v) * 256 + i64(p * 32 + tmod(tid, 4) * 8) + 8], by * 128 + tdiv(tid, 4) + 32 * v < M)
            for v in unroll(4):
                cp_async(B_s[tdiv((p * 4096 + (tdiv(tid, 16) + 8 * v) * 64 + tmod(tdiv(tid, 8), 2) * 2048 + tmod(tmod(tid, 16) * 8, 64)) * 2 + 24576 ^ (p * 64 + tdiv(tid, 16) + v * 8 + tmod(tdiv(tid, 8), 2) * 32 + 192 & 7) * 16, 2) - 12288:tdiv((p * 4096 + (tdiv(tid, 16) + 8 * v) * 64 + tmod(tdiv(tid, 8), 2) * 2048 + tmod(tmod(tid, 16) * 8, 64)) * 2 + 24576 ^ (p * 64 + tdiv(tid, 16) + v * 8 + tmod(tdiv(tid, 8), 2) * 32 + 192 & 7) * 16, 2) - 12288 + 8], B[p * 4096 + v * 1024 + bx * 128 + tid * 8:p * 4096 + v * 1024 + bx * 128 + tid * 8 + 8])
            cp_commit()
        rs = var(i32, 0)
        ws = var(i32, 2)
        for k in serial(8):
            cp_wait(1)
            block_sync()
            if k + 2 < 8:
                for v in unroll(4):
                    cp_async(A_s[(ws * 8192 + v * 2048 + tid * 16 ^ ((ws * 8192 + v * 2048 + tid * 16) // 128 & 3) * 16) // 2:(ws * 8192 + v * 2048 + tid * 16 ^ ((ws * 8192 + v * 2048 + tid * 16) // 128 & 3) * 16) // 2 + 8], A[i64(by * 128 + tdiv(tid, 4) + 32 * v) * 256 + i64((k + 2) * 32 + tmod(tid, 4) * 8):i64(by * 128 + tdiv(tid, 4) + 32 * v) * 256 + i64((k + 2) * 32 + tmod(tid, 4) * 8) + 8], by * 128 + tdiv(tid, 4) + 32 * v < M)
                for v in unroll(4):
                    cp_async(B_s[(((ws * 4096 + (tdiv(tid, 16) + 8 * v) * 64 + tmod(tdiv(tid, 8), 2) * 2048 + tmod(tmod(tid, 16) * 8, 64)) * 2 + 24576 ^ (((ws * 4096 + (tdiv(tid, 16) + 8 * v) * 64 + tmod(tdiv(tid, 8), 2) * 2048 + tmod(tmod(tid, 16) * 8, 64)) * 2 + 24576) // 128 & 7) * 16) - 24576) // 2:(((ws * 4096 + (tdiv(tid, 16) + 8 * v) * 64 + tmod(tdiv(tid, 8), 2) * 2048 + tmod(tmod(tid, 16) * 8, 64)) * 2 + 24576 ^ (((ws * 4096 + (tdiv(tid, 16) + 8 * v) * 64 + tmod(tdiv(tid, 8), 2) * 2048 + tmod(tmod(tid, 16) * 8, 64)) * 2 + 24576) // 128 & 7) * 16) - 24576) // 2 + 8], B[k * 4096 + v * 1024 + bx * 128 + tid * 8 + 8192:k * 4096 + v * 1024 + bx * 128 + tid * 8 + 8192 + 8])
            cp_commit()
            for ks in unroll(2):
                for i in unroll(4):
                    ldmatrix(A_r[8 * i:8 * i + 8], A_s[(rs * 8192 + wm * 4096 + i * 1024 + tmod(lane, 16) * 64 + ks * 32 + tdiv(lane, 16) * 16 ^ ((rs * 8192 + wm * 4096 + i * 1024 + tmod(lane, 16) * 64 + ks * 32 + tdiv(lane, 16) * 16) // 128 & 3) * 16) // 2])
                for j in unroll(4):
                    ldmatrix(B_r[8 * j:8 * j + 8], B_s[((rs * 8192 + ks * 2048 + tmod(lane, 16) * 128 + wn * 4096 + j * 32 + tdiv(lane, 16) * 16 + 24576 ^ ((rs * 8192 + ks * 2048 + tmod(lane, 16) * 128 + wn * 4096 + j * 32 + tdiv(lane, 16) * 16 + 24576) // 128 & 7) * 16) - 24576) // 2], trans=True)
                for i in unroll(4):
                    for j in unroll(8):
                        mma(C_l[i * 32 + j * 4:i * 32 + j * 4 + 4], A_r[8 * i:8 * i + 8], B_r[4 * j:4 * j + 4], shape="m16n8k16")
            rs = 0 if rs == 2 else rs + 1
            ws = 0 if ws == 2 else ws + 1
        for i in unroll(4):
            for h in unroll(2):
                if by * 128 + wm * 64 + i * 16 + h * 8 + tdiv(lane, 4) < M:
                    for j in unroll(8):
                        C[i64(by * 128 + wm * 64 + i * 16 + h * 8 + tdiv(lane, 4)) * 128 + i64(bx * 128 + wn * 64 + j * 8 + tmod(lane, 4) * 2):i64(by * 128 + wm * 64 + i * 16 + h * 8 + tdiv(lane, 4)) * 128 + i64(bx * 128 + wn * 64 + j * 8 + tmod(lane, 4) * 2) + 2] = f16(C_l[i * 32 + j * 4 + h * 2:i * 32 + j * 4 + h * 2 + 2])
