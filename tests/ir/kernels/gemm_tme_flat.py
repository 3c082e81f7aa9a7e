# test: roundtrip
# SPDX-License-Identifier: Apache-2.0
# GEMM for mp_31: a producer fills a ring of three slots by TME, two groups of consumers multiply.
ir(1, level="flat", target="mp_31", after="simplify")
def matmul(A: tensor(f16, [1024, 1024]), B: tensor(f16, [1024, 1024]), C: tensor(f16, [1024, 1024])):
    check_tensor(A, align=16)
    check_tensor(B, align=16)
    check_tensor(C, align=16, write=True)
    A_map = tensor_map(A, dims=[1024, 1024], strides=[2048])
    B_map = tensor_map(B, dims=[1024, 1024], strides=[2048])
    with kernel("matmul_k0", grid=[8, 8, 1], block=384, smem=98304, params=[A_map, B_map, C]) as (bx, by, bz):
        bar_reserve(6)
        if tid == 0:
            for s in unroll(3):
                bar_init(1 + s, 1)
            for s in unroll(3):
                bar_init(4 + s, 8)
        block_sync()
        if uniform(tid >= 256):
            if tid == 256:
                slot = var(i32, 0)
                phase = var(i32, 0)
                for k in serial(16):
                    bar_wait(4 + slot, phase ^ 1)
                    bar_expect(1 + slot, 32768)
                    tma_load(slot * 16384, A_map, [k * 64, by * 128], 1 + slot, box=[64, 128], granule=16)
                    tma_load(49152 + slot * 16384, B_map, [bx * 128, k * 64], 1 + slot, box=[64, 64], granule=32)
                    tma_load(57344 + slot * 16384, B_map, [bx * 128 + 64, k * 64], 1 + slot, box=[64, 64], granule=32)
                    bar_arrive(1 + slot)
                    slot = slot + 1
                    if slot == 3:
                        slot = 0
                        phase = phase ^ 1
        else:
            C_l = local(f32, [64], of=frag([128, 128], [[r(8, 8), t(16, 8)], [t(2, 128), r(8, 1), t(8, 1)]]))
            sq = uniform(tdiv(tid, 128))
            for i in unroll(64):
                C_l[i] = 0.0
            slot = var(i32, 0)
            phase = var(i32, 0)
            for k in serial(16):
                bar_wait(1 + slot, phase)
                sqmma(C_l[0:64], 3407872 + slot * 16384, 5554176 + slot * 16384 + sq * 8192, shape="m128n64k64", tA=False, tB=True)
                mma_commit()
                mma_wait(0)
                bar_arrive(4 + slot)
                slot = slot + 1
                if slot == 3:
                    slot = 0
                    phase = phase ^ 1
            e = (by * 128 + tdiv(tmod(tid, 128), 8)) * 1024 + bx * 128 + sq * 64 + tmod(tid, 8)
            for i in unroll(8):
                for j in unroll(8):
                    C[e + i * 16384 + j * 8] = f16(C_l[i * 8 + j])
