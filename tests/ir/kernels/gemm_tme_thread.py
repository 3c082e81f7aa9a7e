# test: becomes is=gemm_tme_flat
# SPDX-License-Identifier: Apache-2.0
# GEMM for mp_31: a ring of three stages filled by the tensor engine, one producer thread, two
# groups of consumers, SQMMA m128n64k64.
ir(1, level="thread", target="mp_31", after="vectorize")
def matmul(A: tensor(f16, [256, 512]), B: tensor(f16, [512, 256]), C: tensor(f16, [256, 256])):
    check_tensor(A, align=16)
    check_tensor(B, align=16)
    check_tensor(C, align=16, write=True)
    A_map = tensor_map(A, dims=[512, 256], strides=[1024])
    B_map = tensor_map(B, dims=[256, 512], strides=[512])
    with kernel("matmul_k0", grid=[2, 2, 1], block=384, smem=98304) as (bx, by, bz):
        ab_full = barrier([3], count=1, unit="warp", tx=True, id=1)
        ab_empty = barrier([3], count=8, unit="warp", id=4)
        A_s = shared(f16, [3, 128, 64], lay=[[a(3, 8192)], [a(128, 64)], [a(64, 1)]], swz=(16, 256, 15), at=0)
        B_s = shared(f16, [3, 64, 128], lay=[[a(3, 8192)], [a(64, 64)], [a(2, 4096), a(64, 1)]], swz=(32, 256, 7), at=49152)
        if leader("block"):
            bar_init(ab_full)
            bar_init(ab_empty)
        block_sync(mem="all")
        with role("producer", 256, 384):
            if leader("role"):
                ab_in = var(i32, 0)
                ab_in_phase = var(i32, 0)
                for k in serial(8):
                    s = ab_in
                    bar_wait(ab_empty[s], ab_in_phase ^ 1)
                    bar_expect(ab_full[s], 32768)
                    tma_load(A_s[s, 0:128, 0:64], A_map, [k * 64, by * 128], ab_full[s])
                    tma_load(B_s[s, 0:64, 0:64], B_map, [bx * 128, k * 64], ab_full[s])
                    tma_load(B_s[s, 0:64, 64:128], B_map, [bx * 128 + 64, k * 64], ab_full[s])
                    bar_arrive(ab_full[s])
                    ab_in = ab_in + 1
                    if ab_in == 3:
                        ab_in = 0
                        ab_in_phase = ab_in_phase ^ 1
        with role("consumer", 0, 256):
            C_l = local(f32, [64], of=frag([128, 128], [[r(8, 8), t(16, 8)], [t(2, 128), r(8, 1), t(8, 1)]]))
            ab_out = var(i32, 0)
            ab_out_phase = var(i32, 0)
            unit = uniform(tid // 128)
            for v in unroll(8):
                for v_1 in unroll(8):
                    C_l[v * 8 + v_1] = 0.0
            for k in serial(8):
                s = ab_out
                bar_wait(ab_full[s], ab_out_phase)
                sqmma(C_l[0:64], A_s[s, 0:128, 0:64], B_s[s, 0:64, unit * 64:unit * 64 + 64], shape="m128n64k64", tA=False, tB=True)
                mma_commit()
                mma_wait(0)
                bar_arrive(ab_empty[s])
                ab_out = ab_out + 1
                if ab_out == 3:
                    ab_out = 0
                    ab_out_phase = ab_out_phase ^ 1
            for v in unroll(8):
                for v_1 in unroll(8):
                    C[by * 128 + tid // 8 % 16 + v * 16, bx * 128 + tid // 128 * 64 + tid % 8 + v_1 * 8] = f16(C_l[v * 8 + v_1])
