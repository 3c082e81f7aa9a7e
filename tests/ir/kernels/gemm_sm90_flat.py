# test: roundtrip
# SPDX-License-Identifier: Apache-2.0
# GEMM for sm_90a: persistent blocks, one producer thread fills a ring of four slots by TMA, two
# groups of consumers multiply 64 rows each, the result leaves through two small buffers of each.
ir(1, level="flat", target="sm_90a", after="simplify")
def matmul(A: tensor(f16, [256, 256]), B: tensor(f16, [512, 256]), C: tensor(f16, [256, 512])):
    check_tensor(A, align=16)
    check_tensor(B, align=16)
    check_tensor(C, align=16, write=True)
    A_map = tensor_map(A, dims=[256, 256], strides=[512], box=[64, 128], swz=(16, 128, 7))
    B_map = tensor_map(B, dims=[256, 512], strides=[512], box=[64, 256], swz=(16, 128, 7))
    C_map = tensor_map(C, dims=[512, 256], strides=[1024], box=[64, 64], swz=(16, 128, 7))
    with kernel("matmul_k0", grid=[2, 1, 1], block=384, smem=229440, params=[A_map, B_map, C_map]) as (bx, by, bz):
        bar_reserve(8)
        A_s = shared(f16, [32768], at=0)
        B_s = shared(f16, [65536], at=65536)
        C_s = shared(f16, [16384], at=196608)
        if leader("block"):
            for s_1 in unroll(4):
                bar_init(s_1, 1)
            for s_1 in unroll(4):
                bar_init(4 + s_1, 2)
            init_fence()
        block_sync(mem="all")
        if uniform(tid < 128):
            reg_limit(40, grow=False)
            if tid == 0:
                ab_in = var(i32, 0)
                ab_in_phase = var(i32, 0)
                for tile in serial(bx, 4, 2):
                    n = tdiv(tile, 2)
                    m = tmod(tile, 2)
                    for k in serial(4):
                        s = ab_in
                        bar_wait(4 + s, ab_in_phase ^ 1)
                        bar_arrive_expect(s, 49152)
                        tma_load(s * 16384, A_map, [k * 64, m * 128], s)
                        tma_load(65536 + s * 32768, B_map, [k * 64, n * 256], s)
                        ab_in = ab_in + 1
                        if ab_in == 4:
                            ab_in = 0
                            ab_in_phase = ab_in_phase ^ 1
        else:
            reg_limit(232, grow=True)
            C_l = local(f32, [128], of=frag([128, 256], [[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(32, 4), t(4, 1), r(2, 1)]]))
            ab_out = var(i32, 0)
            ab_out_phase = var(i32, 0)
            unit = uniform(tdiv(tid, 128) - 1)
            out_in = var(i32, 0)
            out_out = var(i32, 0)
            for tile in serial(bx, 4, 2):
                n = tdiv(tile, 2)
                m = tmod(tile, 2)
                for v in unroll(2):
                    for v_1 in unroll(32):
                        for v_2 in unroll(2):
                            C_l[v * 2 + v_1 * 4 + v_2] = 0.0
                for k in serial(4):
                    s = ab_out
                    bar_wait(s, ab_out_phase)
                    mma_fence(C_l[0:128])
                    for k_1 in unroll(4):
                        wgmma(C_l[0:128], 4611686293305360384 + i64(s * 1024 + unit * 512 + k_1 * 2), 4611686293305360384 + i64(4096 + s * 2048 + k_1 * 2), shape="m64n256k16", zero=False, tA=False, tB=False, dtype="f16")
                    mma_commit()
                    mma_wait(0, C_l[0:128])
                    bar_arrive(4 + s, unit="group")
                    ab_out = ab_out + 1
                    if ab_out == 4:
                        ab_out = 0
                        ab_out_phase = ab_out_phase ^ 1
                for c in unroll(4):
                    w = out_in
                    if tmod(tid, 128) == 0:
                        bulk_wait_read(1)
                    group_sync(unit, id=1, threads=128)
                    for v in unroll(4):
                        matrices = local(f16, [8])
                        for v_1 in unroll(2):
                            for v_2 in unroll(2):
                                matrices[v_1 * 2 + v_2 * 4:v_1 * 2 + v_2 * 4 + 2] = f16(C_l[v_1 * 2 + (c * 8 + v * 2 + v_2) * 4:v_1 * 2 + (c * 8 + v * 2 + v_2) * 4 + 2])
                        stmatrix(C_s[w * 8192 + tdiv(tid, 128) * 4096 + tmod(tdiv(tid, 32), 4) * 1024 + tmod(tdiv(tid, 8), 2) * 512 - 4096 + (tmod(tid, 8) * 64 + tmod(tdiv(tid, 16), 2) * 8 + v * 16 ^ (tmod(tid, 8) & 7) * 8)], matrices[0:8])
                    fence_proxy()
                    group_sync(unit, id=1, threads=128)
                    out_in = out_in ^ 1
                    e = out_out
                    if tmod(tid, 128) == 0:
                        tma_store(C_map, [n * 256 + c * 64, m * 128 + unit * 64], e * 16384 + unit * 8192 + 196608)
                        bulk_commit()
                    out_out = out_out ^ 1
            if tmod(tid, 128) == 0:
                bulk_wait(0)
