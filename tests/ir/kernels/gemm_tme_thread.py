# test: roundtrip
# SPDX-License-Identifier: Apache-2.0
# GEMM for mp_31: a producer fills a ring of three slots by TME, two groups of consumers multiply.
ir(1, level="thread", target="mp_31", after="vectorize")
def matmul(A: tensor(f16, [1024, 1024]), B: tensor(f16, [1024, 1024]), C: tensor(f16, [1024, 1024])):
    check_tensor(A, align=16)
    check_tensor(B, align=16)
    check_tensor(C, align=16, write=True)
    A_map = tensor_map(A, dims=[1024, 1024], strides=[2048])
    B_map = tensor_map(B, dims=[1024, 1024], strides=[2048])
    with kernel("matmul_k0", grid=[8, 8, 1], block=384, smem=98304) as (bx, by, bz):
        full = barrier([3], count=1, unit="warp", tx=True, id=1)
        empty = barrier([3], count=8, unit="warp", id=4)
        A_s = shared(f16, [3, 128, 64], lay=[[a(3, 8192)], [a(128, 64)], [a(64, 1)]], swz=(16, 256, 15), at=0, ring=ab, of="A_s@1:8")
        B_s = shared(f16, [3, 64, 128], lay=[[a(3, 8192)], [a(64, 64)], [a(2, 4096), a(64, 1)]], swz=(32, 256, 7), at=49152, ring=ab, of="B_s@1:9")
        if leader("block"):
            bar_init(full)
            bar_init(empty)
        block_sync()
        with role("producer", 256, 384):
            if leader("role"):
                slot = var(i32, 0)
                phase = var(i32, 0)
                for k in serial(16):
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
            for k in serial(16):
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
