# test: becomes is=gemm_sm90_flat
# SPDX-License-Identifier: Apache-2.0
# GEMM for sm_90a: persistent blocks, one producer thread fills a ring of four slots by TMA, two
# groups of consumers multiply 64 rows each, the result leaves through two small buffers of each.
ir(1, level="thread", target="sm_90a", after="vectorize")
def matmul(A: tensor(f16, [256, 256]), B: tensor(f16, [512, 256]), C: tensor(f16, [256, 512])):
    check_tensor(A, align=16)
    check_tensor(B, align=16)
    check_tensor(C, align=16, write=True)
    A_map = tensor_map(A, dims=[256, 256], strides=[512], box=[64, 128], swz=(16, 128, 7))
    B_map = tensor_map(B, dims=[256, 512], strides=[512], box=[64, 256], swz=(16, 128, 7))
    C_map = tensor_map(C, dims=[512, 256], strides=[1024], box=[64, 64], swz=(16, 128, 7))
    with kernel("matmul_k0", grid=[2, 1, 1], block=384, smem=229440) as (bx, by, bz):
        ab_full = barrier([4], count=1, unit="lane", tx=True, id=0)
        ab_empty = barrier([4], count=2, unit="group", id=4)
        A_s = shared(f16, [4, 128, 64], lay=[[a(4, 8192)], [a(128, 64)], [a(64, 1)]], swz=(16, 128, 7), at=0)
        B_s = shared(f16, [4, 256, 64], lay=[[a(4, 16384)], [a(256, 64)], [a(64, 1)]], swz=(16, 128, 7), at=65536)
        C_s = shared(f16, [2, 128, 64], lay=[[a(2, 8192)], [a(128, 64)], [a(64, 1)]], swz=(16, 128, 7), at=196608)
        if leader("block"):
            bar_init(ab_full)
            bar_init(ab_empty)
            init_fence()
        block_sync(mem="all")
        with role("producer", 0, 128, regs=40):
            if leader("role"):
                ab_in = var(i32, 0)
                ab_in_phase = var(i32, 0)
                for tile in serial(bx, 4, 2):
                    n = tile // 2
                    m = tile % 2
                    for k in serial(4):
                        s = ab_in
                        bar_wait(ab_empty[s], ab_in_phase ^ 1)
                        bar_arrive_expect(ab_full[s], 49152)
                        tma_load(A_s[s, 0:128, 0:64], A_map, [k * 64, m * 128], ab_full[s])
                        tma_load(B_s[s, 0:256, 0:64], B_map, [k * 64, n * 256], ab_full[s])
                        ab_in = ab_in + 1
                        if ab_in == 4:
                            ab_in = 0
                            ab_in_phase = ab_in_phase ^ 1
        with role("consumer", 128, 384, regs=232):
            C_l = local(f32, [128], of=frag([128, 256], [[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(32, 4), t(4, 1), r(2, 1)]]))
            ab_out = var(i32, 0)
            ab_out_phase = var(i32, 0)
            unit = uniform(tid // 128)
            out_in = var(i32, 0)
            out_out = var(i32, 0)
            for tile in serial(bx, 4, 2):
                n = tile // 2
                m = tile % 2
                for v in unroll(2):
                    for v_1 in unroll(32):
                        for v_2 in unroll(2):
                            C_l[v * 2 + v_1 * 4 + v_2] = 0.0
                for k in serial(4):
                    s = ab_out
                    bar_wait(ab_full[s], ab_out_phase)
                    mma_fence(C_l[0:128])
                    for k_1 in unroll(4):
                        wgmma(C_l[0:128], A_s[s, unit * 64:unit * 64 + 64, k_1 * 16:k_1 * 16 + 16], B_s[s, 0:256, k_1 * 16:k_1 * 16 + 16], shape="m64n256k16", zero=False, tA=False, tB=False)
                    mma_commit()
                    mma_wait(0)
                    bar_arrive(ab_empty[s])
                    ab_out = ab_out + 1
                    if ab_out == 4:
                        ab_out = 0
                        ab_out_phase = ab_out_phase ^ 1
                for c in unroll(4):
                    w = out_in
                    if leader("group"):
                        bulk_wait_read(1)
                    group_sync(unit, id=1, threads=128)
                    for v in unroll(4):
                        matrices = local(f16, [8])
                        for v_1 in unroll(2):
                            for v_2 in unroll(2):
                                matrices[v_1 * 2 + v_2 * 4:v_1 * 2 + v_2 * 4 + 2] = f16(C_l[v_1 * 2 + (c * 8 + v * 2 + v_2) * 4:v_1 * 2 + (c * 8 + v * 2 + v_2) * 4 + 2])
                        stmatrix(C_s[w, tid // 128 * 64 + tid // 32 % 4 * 16 + tid // 8 % 2 * 8 + tid % 8, tid // 16 % 2 * 8 + v * 16], matrices[0:8])
                    fence_proxy()
                    group_sync(unit, id=1, threads=128)
                    out_in = out_in ^ 1
                    e = out_out
                    if leader("group"):
                        tma_store(C_map, [n * 256 + c * 64, m * 128 + unit * 64], C_s[e, unit * 64:unit * 64 + 64, 0:64])
                        bulk_commit()
                    out_out = out_out ^ 1
            if leader("group"):
                bulk_wait(0)
