# test: roundtrip
# SPDX-License-Identifier: Apache-2.0
# Flash attention for sm_90a: persistent blocks that draw tiles from a counter and pass them on in a
# mailbox, one producer thread, two consumer groups, softmax while PV of the block before is in flight.
ir(1, level="flat", target="sm_90a", after="simplify")
def attention(Q: tensor(f16, [1, 384, 3, 128]), K: tensor(f16, [1, 384, 3, 128]), V: tensor(f16, [1, 384, 3, 128]), O: tensor(f16, [1, 384, 3, 128])):
    check_tensor(Q, align=16)
    check_tensor(K, align=16)
    check_tensor(V, align=16)
    check_tensor(O, align=16, write=True)
    work = workspace(i32, [2], zeroed=True)
    Q_map = tensor_map(Q, dims=[64, 384, 2, 3, 1], strides=[768, 128, 256, 294912], box=[64, 128, 2, 1, 1], swz=(16, 128, 7))
    K_map = tensor_map(K, dims=[64, 384, 2, 3, 1], strides=[768, 128, 256, 294912], box=[64, 128, 2, 1, 1], swz=(16, 128, 7))
    V_map = tensor_map(V, dims=[64, 384, 2, 3, 1], strides=[768, 128, 256, 294912], box=[64, 128, 2, 1, 1], swz=(16, 128, 7))
    O_map = tensor_map(O, dims=[64, 384, 2, 3, 1], strides=[768, 128, 256, 294912], box=[64, 64, 1, 1, 1], swz=(16, 128, 7))
    with kernel("attention_k0", grid=[2, 1, 1], block=384, smem=196728, params=[work, Q_map, K_map, V_map, O_map]) as (bx, by, bz):
        bar_reserve(14)
        Q_s = shared(f16, [16384], at=0)
        K_s = shared(f16, [32768], at=32768)
        V_s = shared(f16, [32768], at=98304)
        O_s = shared(f16, [16384], at=163840)
        mail = shared(i32, [2], at=196608)
        if leader("block"):
            bar_init(0, 1)
            bar_init(1, 2)
            for s in unroll(2):
                bar_init(2 + s, 1)
            for s in unroll(2):
                bar_init(4 + s, 2)
            for s in unroll(2):
                bar_init(6 + s, 1)
            for s in unroll(2):
                bar_init(8 + s, 2)
            for s in unroll(2):
                bar_init(10 + s, 1)
            for s in unroll(2):
                bar_init(12 + s, 8)
            init_fence()
        block_sync()
        if uniform(tid < 128):
            reg_limit(40, grow=False)
            if tid == 0:
                tile = var(i32, bx)
                qp = var(i32, 0)
                ks = var(i32, 0)
                kp = var(i32, 0)
                vs = var(i32, 0)
                vp = var(i32, 0)
                wsl = var(i32, 0)
                wp = var(i32, 0)
                while tile < 9:
                    bar_wait(12 + wsl, wp ^ 1)
                    mail[wsl] = tile
                    bar_arrive(10 + wsl, unit="lane")
                    wsl = wsl ^ 1
                    wp = wp ^ 1 if wsl == 0 else wp
                    row = tile % 3
                    head = tile // 3 % 3
                    batch = tile // 9
                    for j in serial(4):
                        if j < 3:
                            bar_wait(4 + ks, kp ^ 1)
                            bar_arrive_expect(2 + ks, 32768)
                            tma_load(32768 + ks * 32768, K_map, [0, j * 128, 0, head, batch], 2 + ks)
                            ks = ks ^ 1
                            kp = kp ^ 1 if ks == 0 else kp
                        if j == 0:
                            bar_wait(1, qp ^ 1)
                            bar_arrive_expect(0, 32768)
                            tma_load(0, Q_map, [0, row * 128, 0, head, batch], 0)
                            qp = qp ^ 1
                        if j > 0:
                            bar_wait(8 + vs, vp ^ 1)
                            bar_arrive_expect(6 + vs, 32768)
                            tma_load(98304 + vs * 32768, V_map, [0, (j - 1) * 128, 0, head, batch], 6 + vs)
                            vs = vs ^ 1
                            vp = vp ^ 1 if vs == 0 else vp
                    drawn = atomic_add(work[0], 1, order="relaxed")
                    tile = 2 + drawn
                bar_wait(12 + wsl, wp ^ 1)
                mail[wsl] = -1
                bar_arrive(10 + wsl, unit="lane")
                last = atomic_add(work[1], 1, order="acq_rel")
                if last == 1:
                    work[0] = 0
                    work[1] = 0
        else:
            reg_limit(232, grow=True)
            S_l = local(f32, [64], of=frag([128, 128], [[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]]))
            P_l = local(f16, [64], of=frag([128, 128], [[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]]))
            O_l = local(f32, [64], of=frag([128, 128], [[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]]))
            top = local(f32, [4])
            old = local(f32, [2])
            total = local(f32, [2])
            part = local(f32, [4])
            g = uniform(tdiv(tid, 128) - 1)
            qp = var(i32, 0)
            ks = var(i32, 0)
            kp = var(i32, 0)
            vs = var(i32, 0)
            vp = var(i32, 0)
            wsl = var(i32, 0)
            wp = var(i32, 0)
            while True:
                bar_wait(10 + wsl, wp)
                tile = uniform(mail[wsl])
                bar_arrive(12 + wsl, unit="warp")
                wsl = wsl ^ 1
                wp = wp ^ 1 if wsl == 0 else wp
                if tile < 0:
                    break
                bar_wait(0, qp)
                bar_wait(2 + ks, kp)
                mma_fence(S_l[0:64])
                wgmma(S_l[0:64], 4611686293305360384 + i64(g * 512), 4611686293305360384 + i64(2048 + ks * 2048), shape="m64n128k16", zero=True, tA=False, tB=False, dtype="f16")
                for kk in unroll(1, 8):
                    wgmma(S_l[0:64], 4611686293305360384 + i64(g * 512 + tdiv(kk, 4) * 1024 + tmod(kk * 2, 8)), 4611686293305360384 + i64(2048 + ks * 2048 + tdiv(kk, 4) * 1024 + tmod(kk * 2, 8)), shape="m64n128k16", zero=False, tA=False, tB=False, dtype="f16")
                mma_commit()
                mma_wait(0, S_l[0:64])
                bar_arrive(4 + ks, unit="group")
                ks = ks ^ 1
                kp = kp ^ 1 if ks == 0 else kp
                for h in unroll(2):
                    for e in unroll(2):
                        top[2 + e] = -1e30
                        part[2 * h + e] = 0.0
                        for c in unroll(16):
                            top[2 + e] = maximum(top[2 + e], S_l[4 * c + 2 * h + e])
                    top[h] = maximum(top[2], top[3])
                    top[h] = maximum(top[h], shfl_xor(top[h], 2))
                    top[h] = maximum(top[h], shfl_xor(top[h], 1))
                    for c in unroll(16):
                        for e in unroll(2):
                            S_l[4 * c + 2 * h + e] = fast_exp2(fma(S_l[4 * c + 2 * h + e], 0.12751743, -(top[h] * 0.12751743)))
                            part[2 * h + e] = part[2 * h + e] + S_l[4 * c + 2 * h + e]
                for i in unroll(32):
                    P_l[2 * i:2 * i + 2] = f16(S_l[2 * i:2 * i + 2])
                for i in unroll(64):
                    O_l[i] = 0.0
                for j in serial(1, 3):
                    bar_wait(2 + ks, kp)
                    mma_fence(S_l[0:64])
                    wgmma(S_l[0:64], 4611686293305360384 + i64(g * 512), 4611686293305360384 + i64(2048 + ks * 2048), shape="m64n128k16", zero=True, tA=False, tB=False, dtype="f16")
                    for kk in unroll(1, 8):
                        wgmma(S_l[0:64], 4611686293305360384 + i64(g * 512 + tdiv(kk, 4) * 1024 + tmod(kk * 2, 8)), 4611686293305360384 + i64(2048 + ks * 2048 + tdiv(kk, 4) * 1024 + tmod(kk * 2, 8)), shape="m64n128k16", zero=False, tA=False, tB=False, dtype="f16")
                    mma_commit()
                    bar_wait(6 + vs, vp)
                    mma_fence(O_l[0:64], P_l[0:64])
                    for kk in unroll(8):
                        wgmma(O_l[0:64], P_l[8 * kk:8 * kk + 8], 4611686293372403712 + i64(6144 + vs * 2048 + kk * 128), shape="m64n128k16", zero=False, tA=False, tB=True, dtype="f16")
                    mma_commit()
                    mma_wait(1, S_l[0:64])
                    bar_arrive(4 + ks, unit="group")
                    if j == 2:
                        bar_arrive(1, unit="group")
                    ks = ks ^ 1
                    kp = kp ^ 1 if ks == 0 else kp
                    for h in unroll(2):
                        old[h] = top[h]
                        for e in unroll(2):
                            top[2 + e] = S_l[2 * h + e]
                            for c in unroll(1, 16):
                                top[2 + e] = maximum(top[2 + e], S_l[4 * c + 2 * h + e])
                        top[h] = maximum(top[h], maximum(top[2], top[3]))
                        top[h] = maximum(top[h], shfl_xor(top[h], 2))
                        top[h] = maximum(top[h], shfl_xor(top[h], 1))
                        old[h] = fast_exp2(fma(old[h], 0.12751743, -(top[h] * 0.12751743)))
                        for e in unroll(2):
                            part[2 * h + e] = part[2 * h + e] * old[h]
                        for c in unroll(16):
                            for e in unroll(2):
                                S_l[4 * c + 2 * h + e] = fast_exp2(fma(S_l[4 * c + 2 * h + e], 0.12751743, -(top[h] * 0.12751743)))
                                part[2 * h + e] = part[2 * h + e] + S_l[4 * c + 2 * h + e]
                    mma_wait(0, O_l[0:64])
                    bar_arrive(8 + vs, unit="group")
                    vs = vs ^ 1
                    vp = vp ^ 1 if vs == 0 else vp
                    for c in unroll(16):
                        for h in unroll(2):
                            for e in unroll(2):
                                O_l[4 * c + 2 * h + e] = O_l[4 * c + 2 * h + e] * old[h]
                    for i in unroll(32):
                        P_l[2 * i:2 * i + 2] = f16(S_l[2 * i:2 * i + 2])
                qp = qp ^ 1
                bar_wait(6 + vs, vp)
                mma_fence(O_l[0:64], P_l[0:64])
                for kk in unroll(8):
                    wgmma(O_l[0:64], P_l[8 * kk:8 * kk + 8], 4611686293372403712 + i64(6144 + vs * 2048 + kk * 128), shape="m64n128k16", zero=False, tA=False, tB=True, dtype="f16")
                mma_commit()
                mma_wait(0, O_l[0:64])
                bar_arrive(8 + vs, unit="group")
                vs = vs ^ 1
                vp = vp ^ 1 if vs == 0 else vp
                for h in unroll(2):
                    total[h] = part[2 * h] + part[2 * h + 1]
                    total[h] = total[h] + shfl_xor(total[h], 2)
                    total[h] = total[h] + shfl_xor(total[h], 1)
                    total[h] = 1.0 / total[h]
                if tmod(tid, 128) == 0:
                    bulk_wait_read(0)
                group_sync(g, id=1, threads=128)
                for c in unroll(16):
                    for h in unroll(2):
                        O_s[tdiv((g * 8192 + (tmod(tdiv(tid, 32), 4) * 16 + h * 8 + tdiv(lane, 4)) * 64 + tdiv(c * 4 + tmod(lane, 4), 32) * 4096 + tmod(c * 8 + tmod(lane, 4) * 2, 64)) * 2 + 163840 ^ (g * 128 + tmod(tdiv(tid, 32), 4) * 16 + h * 8 + tdiv(lane, 4) + tdiv(c * 4 + tmod(lane, 4), 32) * 64 + 1280 & 7) * 16, 2) - 81920:tdiv((g * 8192 + (tmod(tdiv(tid, 32), 4) * 16 + h * 8 + tdiv(lane, 4)) * 64 + tdiv(c * 4 + tmod(lane, 4), 32) * 4096 + tmod(c * 8 + tmod(lane, 4) * 2, 64)) * 2 + 163840 ^ (g * 128 + tmod(tdiv(tid, 32), 4) * 16 + h * 8 + tdiv(lane, 4) + tdiv(c * 4 + tmod(lane, 4), 32) * 64 + 1280 & 7) * 16, 2) - 81920 + 2] = f16(O_l[4 * c + 2 * h:4 * c + 2 * h + 2] * total[h])
                fence_proxy()
                group_sync(g, id=1, threads=128)
                if tmod(tid, 128) == 0:
                    for c in unroll(2):
                        tma_store(O_map, [0, tile % 3 * 128 + g * 64, c, tile // 3 % 3, tile // 9], g * 16384 + c * 8192 + 163840)
                    bulk_commit()
            if tmod(tid, 128) == 0:
                bulk_wait(0)
