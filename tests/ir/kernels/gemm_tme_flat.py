# test: roundtrip
# SPDX-License-Identifier: Apache-2.0
# GEMM for mp_31: a ring of three stages filled by the tensor engine, one producer thread, two
# groups of consumers, SQMMA m128n64k64.
ir(1, level="flat", target="mp_31", after="simplify")
def matmul(A: tensor(f16, [256, 512]), B: tensor(f16, [512, 256]), C: tensor(f16, [256, 256])):
    check_tensor(A, align=16)
    check_tensor(B, align=16)
    check_tensor(C, align=16, write=True)
    A_map = tensor_map(A, dims=[512, 256], strides=[1024])
    B_map = tensor_map(B, dims=[256, 512], strides=[512])
    with kernel("matmul_k0", grid=[2, 2, 1], block=384, smem=98304, params=[C, A_map, B_map]) as (bx, by, bz):
        bar_reserve(6)
        A_s = shared(f16, [24576], at=0)
        B_s = shared(f16, [24576], at=49152)
        if leader("block"):
            for s_1 in unroll(3):
                bar_init(1 + s_1, 1)
            for s_1 in unroll(3):
                bar_init(4 + s_1, 8)
        block_sync(mem="all")
        if uniform(tid >= 256):
            if tid == 256:
                ab_in = var(i32, 0)
                ab_in_phase = var(i32, 0)
                for k in serial(8):
                    s = ab_in
                    bar_wait(4 + s, ab_in_phase ^ 1)
                    bar_expect(1 + s, 32768)
                    tma_load(s * 16384, A_map, [k * 64, by * 128], 1 + s, box=[64, 128], granule=16)
                    tma_load(49152 + s * 16384, B_map, [bx * 128, k * 64], 1 + s, box=[64, 64], granule=32)
                    tma_load(s * 16384 + 57344, B_map, [bx * 128 + 64, k * 64], 1 + s, box=[64, 64], granule=32)
                    bar_arrive(1 + s)
                    ab_in = ab_in + 1
                    if ab_in == 3:
                        ab_in = 0
                        ab_in_phase = ab_in_phase ^ 1
        else:
            C_l = local(f32, [64], of=frag([128, 128], [[r(8, 8), t(16, 8)], [t(2, 128), r(8, 1), t(8, 1)]]))
            ab_out = var(i32, 0)
            ab_out_phase = var(i32, 0)
            unit = uniform(tdiv(tid, 128))
            for v in unroll(8):
                for v_1 in unroll(8):
                    C_l[v * 8 + v_1] = 0.0
            for k in serial(8):
                s = ab_out
                bar_wait(1 + s, ab_out_phase)
                sqmma(C_l[0:64], 3407872 + s * 16384, s * 16384 + unit * 8192 + 5554176, shape="m128n64k64", tA=False, tB=True, dtype="f16")
                mma_commit()
                mma_wait(0, C_l[0:64])
                bar_arrive(4 + s)
                ab_out = ab_out + 1
                if ab_out == 3:
                    ab_out = 0
                    ab_out_phase = ab_out_phase ^ 1
            for v in unroll(8):
                for v_1 in unroll(8):
                    C[by * 32768 + tmod(tdiv(tid, 8), 16) * 256 + v * 4096 + bx * 128 + tdiv(tid, 128) * 64 + tmod(tid, 8) + v_1 * 8] = f16(C_l[v * 8 + v_1])
