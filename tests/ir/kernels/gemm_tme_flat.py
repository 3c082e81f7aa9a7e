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
            for s in unroll(3):
                bar_init(1 + s, 1)
            for s in unroll(3):
                bar_init(4 + s, 8)
        block_sync(mem="all")
        if uniform(tid >= 256):
            if tid == 256:
                slot = var(i32, 0)
                phase = var(i32, 0)
                for k in serial(8):
                    bar_wait(4 + slot, phase ^ 1)
                    bar_expect(1 + slot, 32768)
                    tma_load(slot * 16384, A_map, [k * 64, by * 128], 1 + slot, box=[64, 128], granule=16)
                    tma_load(49152 + slot * 16384, B_map, [bx * 128, k * 64], 1 + slot, box=[64, 64], granule=32)
                    tma_load(slot * 16384 + 57344, B_map, [bx * 128 + 64, k * 64], 1 + slot, box=[64, 64], granule=32)
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
            for k in serial(8):
                bar_wait(1 + slot, phase)
                sqmma(C_l[0:64], 3407872 + slot * 16384, slot * 16384 + sq * 8192 + 5554176, shape="m128n64k64", tA=False, tB=True, dtype="f16")
                mma_commit()
                mma_wait(0, C_l[0:64])
                bar_arrive(4 + slot)
                slot = slot + 1
                if slot == 3:
                    slot = 0
                    phase = phase ^ 1
            for i in unroll(8):
                for j in unroll(8):
                    C[by * 32768 + i * 4096 + tmod(tdiv(tid, 8), 16) * 256 + bx * 128 + sq * 64 + j * 8 + tmod(tid, 8)] = f16(C_l[i * 8 + j])
