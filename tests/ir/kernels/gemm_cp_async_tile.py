# test: becomes is=gemm_cp_async_thread
# SPDX-License-Identifier: Apache-2.0
# GEMM for sm_80: cp.async fills a ring of three slots prefetched by two, ldmatrix and mma.sync consume.
ir(1, level="tile", target="sm_80", after="insert_barriers", const=dict(N=128, K=256))
def matmul(A: tensor(f16, [M, K]), B: tensor(f16, [K, N]), C: tensor(f16, [M, N]), *, M: dim(i32, 0, 2147418112)):
    bind(M, A, 0)
    check_tensor(A, align=16)
    check_tensor(B, align=16)
    check_tensor(C, align=16, write=True)
    with kernel("matmul_k0", grid=[N // 128, ceildiv(M, 128), 1], block=128, smem=49152) as (bx, by, bz):
        ab = ring(3, fill="group", bytes=16384, producer="main", consumer="main", unit="warp", arrivals=0)
        A_s = shared(f16, [3, 128, 32], lay=[[a(3, 4096)], [a(128, 32)], [a(32, 1)]], swz=(16, 128, 3), at=0, ring=ab)
        B_s = shared(f16, [3, 32, 128], lay=[[a(3, 4096)], [a(32, 64)], [a(2, 2048), a(64, 1)]], swz=(16, 128, 7), at=24576, ring=ab)
        C_l = fragment(f32, [128, 128], lay=[[t(2, 32), r(4, 32), r(2, 2), t(8, 4)], [t(2, 64), r(4, 8), r(2, 4), t(4, 1), r(2, 1)]])
        fill(C_l, 0.0, lay=[[t(2, 32), r(4, 32), r(2, 2), t(8, 4)], [t(2, 64), r(4, 8), r(2, 4), t(4, 1), r(2, 1)]])
        for p in unroll(2):
            s = ring_acquire(ab)
            copy(A[by * 128:by * 128 + 128, p * 32:p * 32 + 32], A_s[s], by="async", vec=8, lay=[[r(4, 8), t(32, 4)], [t(4, 1), r(8, 1)]])
            copy(B[p * 32:p * 32 + 32, bx * 128:bx * 128 + 128], B_s[s], by="async", vec=8, lay=[[r(4, 8), t(8, 16)], [t(16, 1), r(8, 1)]])
            ring_commit(ab)
        for k in serial(K // 32):
            s = ring_wait(ab)
            w = ring_acquire(ab)
            if k + 2 < K // 32:
                copy(A[by * 128:by * 128 + 128, (k + 2) * 32:(k + 2) * 32 + 32], A_s[w], by="async", vec=8, lay=[[r(4, 8), t(32, 4)], [t(4, 1), r(8, 1)]])
                copy(B[(k + 2) * 32:(k + 2) * 32 + 32, bx * 128:bx * 128 + 128], B_s[w], by="async", vec=8, lay=[[r(4, 8), t(8, 16)], [t(16, 1), r(8, 1)]])
            ring_commit(ab)
            gemm(A_s[s], B_s[s], C_l, clear=False, by="mma", inst=[16, 8, 16], warps=[2, 2], wait=0)
            ring_release(ab)
        copy(C_l, C[by * 128:by * 128 + 128, bx * 128:bx * 128 + 128], by="simt", vec=2, lay=[[t(2, 32), r(4, 32), r(2, 2), t(8, 4)], [t(2, 64), r(4, 8), r(2, 4), t(4, 1), r(2, 1)]])
