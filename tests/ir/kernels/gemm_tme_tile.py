# test: becomes is=gemm_tme_thread
# SPDX-License-Identifier: Apache-2.0
# GEMM for mp_31: a producer fills a ring of three slots by TME, two groups of consumers multiply.
ir(1, level="tile", target="mp_31", after="insert_barriers", const=dict(M=256, N=256, K=512))
def matmul(A: tensor(f16, [M, K]), B: tensor(f16, [K, N]), C: tensor(f16, [M, N])):
    check_tensor(A, align=16)
    check_tensor(B, align=16)
    check_tensor(C, align=16, write=True)
    A_map = tensor_map(A, dims=[K, M], strides=[K * 2])
    B_map = tensor_map(B, dims=[N, K], strides=[N * 2])
    with kernel("matmul_k0", grid=[N // 128, M // 128, 1], block=384, smem=98304) as (bx, by, bz):
        ab = ring(3, fill="tx", bytes=32768, producer="producer", consumer="consumer", unit="warp", arrivals=8)
        A_s = shared(f16, [3, 128, 64], lay=[[a(3, 8192)], [a(128, 64)], [a(64, 1)]], swz=(16, 256, 15), at=0, ring=ab)
        B_s = shared(f16, [3, 64, 128], lay=[[a(3, 8192)], [a(64, 64)], [a(2, 4096), a(64, 1)]], swz=(32, 256, 7), at=49152, ring=ab)
        with role("producer", 256, 384):
            for k in serial(K // 64):
                s = ring_acquire(ab)
                copy(A[by * 128:by * 128 + 128, k * 64:k * 64 + 64], A_s[s], by="engine", map=A_map)
                copy(B[k * 64:k * 64 + 64, bx * 128:bx * 128 + 128], B_s[s], by="engine", map=B_map)
                ring_commit(ab)
        with role("consumer", 0, 256):
            C_l = fragment(f32, [128, 128], lay=[[r(8, 8), t(16, 8)], [t(2, 128), r(8, 1), t(8, 1)]])
            fill(C_l, 0.0, lay=[[r(8, 8), t(16, 8)], [t(2, 128), r(8, 1), t(8, 1)]])
            for k in serial(K // 64):
                s = ring_wait(ab)
                gemm(A_s[s], B_s[s], C_l, clear=False, by="sqmma", inst=[128, 64, 64], warps=[4, 2], wait=0)
                ring_release(ab)
            copy(C_l, C[by * 128:by * 128 + 128, bx * 128:bx * 128 + 128], by="simt", vec=1, lay=[[r(8, 8), t(16, 8)], [t(2, 128), r(8, 1), t(8, 1)]])
