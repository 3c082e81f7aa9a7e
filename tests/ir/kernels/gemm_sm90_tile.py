# test: becomes is=gemm_sm90_thread
# SPDX-License-Identifier: Apache-2.0
# GEMM for sm_90a: persistent blocks, a producer fills a ring of four slots by TMA, two groups of
# consumers multiply 64 rows each, the result leaves through a ring of two slots in quarters.
ir(1, level="tile", target="sm_90a", after="insert_barriers", const=dict(M=256, N=512, K=256, G=2, R=2))
def matmul(A: tensor(f16, [M, K]), B: tensor(f16, [N, K]), C: tensor(f16, [M, N])):
    check_tensor(A, align=16)
    check_tensor(B, align=16)
    check_tensor(C, align=16, write=True)
    A_map = tensor_map(A, dims=[K, M], strides=[K * 2], box=[64, 128], swz=(16, 128, 7))
    B_map = tensor_map(B, dims=[K, N], strides=[K * 2], box=[64, 256], swz=(16, 128, 7))
    C_map = tensor_map(C, dims=[N, M], strides=[N * 2], box=[64, 64], swz=(16, 128, 7))
    with kernel("matmul_k0", grid=[G, 1, 1], block=384, smem=229376) as (bx, by, bz):
        ab = ring(4, fill="tx", bytes=49152, producer="producer", consumer="consumer", unit="group", arrivals=2)
        out = ring(2, fill="store", bytes=16384, producer="consumer", consumer="consumer", unit="group", arrivals=2)
        A_s = shared(f16, [4, 128, 64], lay=[[a(4, 8192)], [a(128, 64)], [a(64, 1)]], swz=(16, 128, 7), at=0, ring=ab)
        B_s = shared(f16, [4, 256, 64], lay=[[a(4, 16384)], [a(256, 64)], [a(64, 1)]], swz=(16, 128, 7), at=65536, ring=ab)
        C_s = shared(f16, [2, 128, 64], lay=[[a(2, 8192)], [a(128, 64)], [a(64, 1)]], swz=(16, 128, 7), at=196608, ring=out)
        with role("producer", 0, 128, regs=40):
            for n, m in tiles([N // 256, M // 128], source="stride", stride=G, order="grouped", group=R):
                for k in serial(K // 64):
                    s = ring_acquire(ab)
                    copy(A[m * 128:m * 128 + 128, k * 64:k * 64 + 64], A_s[s], by="engine", map=A_map)
                    copy(B[n * 256:n * 256 + 256, k * 64:k * 64 + 64], B_s[s], by="engine", map=B_map)
                    ring_commit(ab)
        with role("consumer", 128, 384, regs=232):
            C_l = fragment(f32, [128, 256], lay=[[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(32, 4), t(4, 1), r(2, 1)]])
            for n, m in tiles([N // 256, M // 128], source="stride", stride=G, order="grouped", group=R):
                fill(C_l, 0.0, lay=[[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(32, 4), t(4, 1), r(2, 1)]])
                for k in serial(K // 64):
                    s = ring_wait(ab)
                    gemm(A_s[s], B_s[s], C_l, tB=True, clear=False, by="wgmma", inst=[64, 256, 16], warps=[8, 1], wait=0)
                    ring_release(ab)
                for c in unroll(4):
                    w = ring_acquire(out)
                    copy(C_l[0:128, c * 64:c * 64 + 64], C_s[w], by="simt", vec=2, lay=[[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(8, 4), t(4, 1), r(2, 1)]])
                    ring_commit(out)
                    e = ring_wait(out)
                    copy(C_s[e], C[m * 128:m * 128 + 128, n * 256 + c * 64:n * 256 + c * 64 + 64], by="engine", map=C_map)
                    ring_release(out)
