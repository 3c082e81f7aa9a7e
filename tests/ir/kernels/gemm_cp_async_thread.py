# test: becomes is=gemm_cp_async_flat
# SPDX-License-Identifier: Apache-2.0
# GEMM for sm_80: a ring of three stages filled by per-thread copies, ldmatrix, mma.sync; M is dynamic.
ir(1, level="thread", target="sm_80", after="vectorize", const=dict(N=128, K=256))
def matmul(A: tensor(f16, [M, K]), B: tensor(f16, [K, N]), C: tensor(f16, [M, N]), *, M: dim(i32, 0, 2147418112)):
    bind(M, A, 0)
    check_tensor(A, align=16)
    check_tensor(B, align=16)
    check_tensor(C, align=16, write=True)
    with kernel("matmul_k0", grid=[N // 128, ceildiv(M, 128), 1], block=128, smem=49152) as (bx, by, bz):
        A_s = shared(f16, [3, 128, 32], lay=[[a(3, 4096)], [a(128, 32)], [a(32, 1)]], swz=(16, 128, 3), at=0)
        B_s = shared(f16, [3, 32, 128], lay=[[a(3, 4096)], [a(32, 64)], [a(2, 2048), a(64, 1)]], swz=(16, 128, 7), at=24576)
        C_l = local(f32, [128], of=frag([128, 128], [[t(2, 32), r(4, 32), r(2, 2), t(8, 4)], [t(2, 64), r(4, 8), r(2, 4), t(4, 1), r(2, 1)]]))
        A_r = local(f16, [32], of=frag([128, 16], [[t(2, 32), r(4, 8), r(2, 2), t(8, 4)], [r(2, 4), t(4, 1), r(2, 1)]], rep=[t(2, 64)]))
        B_r = local(f16, [32], of=frag([16, 128], [[r(2, 2), t(4, 1), r(2, 1)], [t(2, 64), r(4, 8), r(2, 4), t(8, 4)]], rep=[t(2, 32)]))
        wm = uniform(warp % 2)
        wn = uniform(warp // 2)
        for i in unroll(128):
            C_l[i] = 0.0
        for p in unroll(2):
            for v in unroll(4):
                cp_async(A_s[p, tid // 4 + 32 * v, tid % 4 * 8:tid % 4 * 8 + 8], A[by * 128 + tid // 4 + 32 * v, p * 32 + tid % 4 * 8:p * 32 + tid % 4 * 8 + 8], by * 128 + tid // 4 + 32 * v < M)
            for v in unroll(4):
                cp_async(B_s[p, tid // 16 + 8 * v, tid % 16 * 8:tid % 16 * 8 + 8], B[p * 32 + tid // 16 + 8 * v, bx * 128 + tid % 16 * 8:bx * 128 + tid % 16 * 8 + 8])
            cp_commit()
        rs = var(i32, 0)
        ws = var(i32, 2)
        for k in serial(K // 32):
            cp_wait(1)
            block_sync()
            if k + 2 < K // 32:
                for v in unroll(4):
                    cp_async(A_s[ws, tid // 4 + 32 * v, tid % 4 * 8:tid % 4 * 8 + 8], A[by * 128 + tid // 4 + 32 * v, (k + 2) * 32 + tid % 4 * 8:(k + 2) * 32 + tid % 4 * 8 + 8], by * 128 + tid // 4 + 32 * v < M)
                for v in unroll(4):
                    cp_async(B_s[ws, tid // 16 + 8 * v, tid % 16 * 8:tid % 16 * 8 + 8], B[(k + 2) * 32 + tid // 16 + 8 * v, bx * 128 + tid % 16 * 8:bx * 128 + tid % 16 * 8 + 8])
            cp_commit()
            for ks in unroll(2):
                for i in unroll(4):
                    ldmatrix(A_r[8 * i:8 * i + 8], A_s[rs, wm * 64 + i * 16 + lane % 16, ks * 16 + lane // 16 * 8])
                for j in unroll(4):
                    ldmatrix(B_r[8 * j:8 * j + 8], B_s[rs, ks * 16 + lane % 16, wn * 64 + j * 16 + lane // 16 * 8], trans=True)
                for i in unroll(4):
                    for j in unroll(8):
                        mma(C_l[i * 32 + j * 4:i * 32 + j * 4 + 4], A_r[8 * i:8 * i + 8], B_r[4 * j:4 * j + 4], shape="m16n8k16")
            rs = 0 if rs == 2 else rs + 1
            ws = 0 if ws == 2 else ws + 1
        for i in unroll(4):
            for h in unroll(2):
                if by * 128 + wm * 64 + i * 16 + h * 8 + lane // 4 < M:
                    for j in unroll(8):
                        C[by * 128 + wm * 64 + i * 16 + h * 8 + lane // 4, bx * 128 + wn * 64 + j * 8 + lane % 4 * 2:bx * 128 + wn * 64 + j * 8 + lane % 4 * 2 + 2] = f16(C_l[i * 32 + j * 4 + h * 2:i * 32 + j * 4 + h * 2 + 2])
