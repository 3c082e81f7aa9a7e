# test: becomes is=gemm_tme_flat
# SPDX-License-Identifier: Apache-2.0
# GEMM for mp_31: a ring of three stages filled by the tensor engine, one producer thread, two
# groups of consumers, SQMMA m128n64k64.
ir(1, level="thread", target="mp_31", after="vectorize", const=dict(M=256, N=256, K=512))
def matmul(A: tensor(f16, [M, K]), B: tensor(f16, [K, N]), C: tensor(f16, [M, N])):
    check_tensor(A, align=16)
    check_tensor(B, align=16)
    check_tensor(C, align=16, write=True)
    A_map = tensor_map(A, dims=[K, M], strides=[K * 2])
    B_map = tensor_map(B, dims=[N, K], strides=[N * 2])
    with kernel("matmul_k0", grid=[N // 128, M // 128, 1], block=384, smem=98304) as (bx, by, bz):
        full = barrier([3], count=1, unit="warp", tx=True, id=1)
        empty = barrier([3], count=8, unit="warp", tx=False, id=4)
        A_s = shared(f16, [3, 128, 64], lay=[[a(3, 8192)], [a(128, 64)], [a(64, 1)]], swz=(16, 256, 15), at=0)
        B_s = shared(f16, [3, 64, 128], lay=[[a(3, 8192)], [a(64, 64)], [a(2, 4096), a(64, 1)]], swz=(32, 256, 7), at=49152)
        if leader("block"):
            bar_init(full)
            bar_init(empty)
        block_sync(mem="all")
        with role("producer", 256, 384):
            if leader("role"):
                slot = var(i32, 0)
                phase = var(i32, 0)
                for k in serial(K // 64):
                    bar_wait(empty[slot], phase ^ 1)
                    bar_expect(full[slot], 32768)
                    tma_load(A_s[slot, 0:128, 0:64], A_map, [k * 64, by * 128], full[slot])
                    tma_load(B_s[slot, 0:64, 0:64], B_map, [bx * 128, k * 64], full[slot])
                    tma_load(B_s[slot, 0:64, 64:128], B_map, [bx * 128 + 64, k * 64], full[slot])
                    bar_arrive(full[slot])
                    slot = slot + 1
                    if slot == 3:
                        slot = 0
                        phase = phase ^ 1
        with role("consumer", 0, 256):
            C_l = local(f32, [64], of=frag([128, 128], [[r(8, 8), t(16, 8)], [t(2, 128), r(8, 1), t(8, 1)]]))
            sq = uniform(tid // 128)
            for i in unroll(64):
                C_l[i] = 0.0
            slot = var(i32, 0)
            phase = var(i32, 0)
            for k in serial(K // 64):
                bar_wait(full[slot], phase)
                sqmma(C_l[0:64], A_s[slot, 0:128, 0:64], B_s[slot, 0:64, sq * 64:sq * 64 + 64], shape="m128n64k64", tA=False, tB=True)
                mma_commit()
                mma_wait(0)
                bar_arrive(empty[slot])
                slot = slot + 1
                if slot == 3:
                    slot = 0
                    phase = phase ^ 1
            for i in unroll(8):
                for j in unroll(8):
                    C[by * 128 + i * 16 + tid % 128 // 8, bx * 128 + sq * 64 + j * 8 + tid % 8] = f16(C_l[i * 8 + j])
