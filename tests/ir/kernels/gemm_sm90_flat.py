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
            for s in unroll(4):
                bar_init(s, 1)
            for s in unroll(4):
                bar_init(4 + s, 2)
            init_fence()
        block_sync()
        if uniform(tid < 128):
            reg_limit(40, grow=False)
            if tid == 0:
                slot = var(i32, 0)
                phase = var(i32, 0)
                tile = var(i32, bx)
                while tile < 4:
                    m = tile // 4 * 2 + tile % 2
                    n = tile // 2 % 2
                    for k in serial(4):
                        bar_wait(4 + slot, phase ^ 1)
                        bar_arrive_expect(slot, 49152)
                        tma_load(slot * 16384, A_map, [k * 64, m * 128], slot)
                        tma_load(65536 + slot * 32768, B_map, [k * 64, n * 256], slot)
                        slot = slot + 1
                        if slot == 4:
                            slot = 0
                            phase = phase ^ 1
                    tile = tile + 2
        else:
            reg_limit(232, grow=True)
            C_l = local(f32, [128], of=frag([128, 256], [[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(32, 4), t(4, 1), r(2, 1)]]))
            g = uniform(tdiv(tid, 128) - 1)
            slot = var(i32, 0)
            phase = var(i32, 0)
            tile = var(i32, bx)
            while tile < 4:
                m = tile // 4 * 2 + tile % 2
                n = tile // 2 % 2
                for i in unroll(128):
                    C_l[i] = 0.0
                for k in serial(4):
                    bar_wait(slot, phase)
                    mma_fence(C_l[0:128])
                    for kk in unroll(4):
                        wgmma(C_l[0:128], 4611686293305360384 + i64(slot * 1024 + g * 512 + kk * 2), 4611686293305360384 + i64(4096 + slot * 2048 + kk * 2), shape="m64n256k16", zero=False, tA=False, tB=False, dtype="f16")
                    mma_commit()
                    mma_wait(0, C_l[0:128])
                    bar_arrive(4 + slot, unit="group")
                    slot = slot + 1
                    if slot == 4:
                        slot = 0
                        phase = phase ^ 1
                for c in unroll(4):
                    if tmod(tid, 128) == 0:
                        bulk_wait_read(1)
                    group_sync(g, id=1, threads=128)
                    for j in unroll(8):
                        for h in unroll(2):
                            C_s[tdiv(g * 16384 + tmod(c, 2) * 8192 + tmod(tdiv(tid, 32), 4) * 2048 + h * 1024 + tdiv(lane, 4) * 128 + j * 16 + tmod(lane, 4) * 4 + 196608 ^ (g * 128 + tmod(c, 2) * 64 + tmod(tdiv(tid, 32), 4) * 16 + h * 8 + tdiv(lane, 4) + 1536 & 7) * 16, 2) - 98304:tdiv(g * 16384 + tmod(c, 2) * 8192 + tmod(tdiv(tid, 32), 4) * 2048 + h * 1024 + tdiv(lane, 4) * 128 + j * 16 + tmod(lane, 4) * 4 + 196608 ^ (g * 128 + tmod(c, 2) * 64 + tmod(tdiv(tid, 32), 4) * 16 + h * 8 + tdiv(lane, 4) + 1536 & 7) * 16, 2) - 98304 + 2] = f16(C_l[c * 32 + j * 4 + h * 2:c * 32 + j * 4 + h * 2 + 2])
                    fence_proxy()
                    group_sync(g, id=1, threads=128)
                    if tmod(tid, 128) == 0:
                        tma_store(C_map, [n * 256 + c * 64, m * 128 + g * 64], g * 16384 + tmod(c, 2) * 8192 + 196608)
                        bulk_commit()
                tile = tile + 2
            if tmod(tid, 128) == 0:
                bulk_wait(0)
