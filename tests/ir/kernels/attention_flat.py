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
        block_sync(mem="all")
        if uniform(tid < 128):
            reg_limit(40, grow=False)
            if tid == 0:
                wr_in = var(i32, 0)
                wr_in_phase = var(i32, 0)
                kr_in = var(i32, 0)
                kr_in_phase = var(i32, 0)
                qr_in_phase = var(i32, 0)
                vr_in = var(i32, 0)
                vr_in_phase = var(i32, 0)
                tile = var(i32, bx)
                while tile < 9:
                    mail_slot = wr_in
                    bar_wait(12 + mail_slot, wr_in_phase ^ 1)
                    mail[mail_slot] = tile
                    bar_arrive(10 + mail_slot, unit="lane")
                    wr_in = wr_in ^ 1
                    wr_in_phase = wr_in_phase ^ 1 if wr_in == 0 else wr_in_phase
                    h = tile // 3 % 3
                    b = 0
                    q = tile % 3
                    for j in serial(4):
                        if j < 3:
                            w = kr_in
                            bar_wait(4 + w, kr_in_phase ^ 1)
                            bar_arrive_expect(2 + w, 32768)
                            tma_load(32768 + w * 32768, K_map, [0, j * 128, 0, h, b], 2 + w)
                            kr_in = kr_in ^ 1
                            kr_in_phase = kr_in_phase ^ 1 if kr_in == 0 else kr_in_phase
                        if j == 0:
                            w = 0
                            bar_wait(1 + w, qr_in_phase ^ 1)
                            bar_arrive_expect(w, 32768)
                            tma_load(0, Q_map, [0, q * 128, 0, h, b], w)
                            qr_in_phase = qr_in_phase ^ 1
                        if j > 0:
                            w = vr_in
                            bar_wait(8 + w, vr_in_phase ^ 1)
                            bar_arrive_expect(6 + w, 32768)
                            tma_load(98304 + w * 32768, V_map, [0, (j - 1) * 128, 0, h, b], 6 + w)
                            vr_in = vr_in ^ 1
                            vr_in_phase = vr_in_phase ^ 1 if vr_in == 0 else vr_in_phase
                    drawn = atomic_add(work[0], 1, order="relaxed")
                    tile = 2 + drawn
                mail_slot = wr_in
                bar_wait(12 + mail_slot, wr_in_phase ^ 1)
                mail[mail_slot] = -1
                bar_arrive(10 + mail_slot, unit="lane")
                wr_in = wr_in ^ 1
                wr_in_phase = wr_in_phase ^ 1 if wr_in == 0 else wr_in_phase
                last_1 = atomic_add(work[1], 1, order="acq_rel")
                if last_1 == 1:
                    atomic_store(work[0], 0, order="relaxed")
                    atomic_store(work[1], 0, order="relaxed")
        else:
            reg_limit(232, grow=True)
            S_l = local(f32, [64], of=frag([128, 128], [[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]]))
            P_l = local(f16, [64], of=frag([128, 128], [[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]]))
            O_l = local(f32, [64], of=frag([128, 128], [[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]]))
            top = local(f32, [2], of=frag([128], [[t(2, 128), t(4, 32), r(2, 1), t(8, 4)]], rep=[t(4, 1)]))
            old = local(f32, [2], of=frag([128], [[t(2, 128), t(4, 32), r(2, 1), t(8, 4)]], rep=[t(4, 1)]))
            total = local(f32, [2], of=frag([128], [[t(2, 128), t(4, 32), r(2, 1), t(8, 4)]], rep=[t(4, 1)]))
            part = local(f32, [2], of=frag([128, 4], [[t(2, 128), t(4, 32), r(2, 1), t(8, 4)], [t(4, 1)]]))
            wr_out = var(i32, 0)
            wr_out_phase = var(i32, 0)
            qr_out_phase = var(i32, 0)
            kr_out = var(i32, 0)
            kr_out_phase = var(i32, 0)
            unit = uniform(tdiv(tid, 128) - 1)
            vr_out = var(i32, 0)
            vr_out_phase = var(i32, 0)
            while True:
                mail_slot_1 = wr_out
                bar_wait(10 + mail_slot_1, wr_out_phase)
                tile_1 = uniform(mail[mail_slot_1])
                bar_arrive(12 + mail_slot_1, unit="warp")
                wr_out = wr_out ^ 1
                wr_out_phase = wr_out_phase ^ 1 if wr_out == 0 else wr_out_phase
                if tile_1 < 0:
                    break
                h = tile_1 // 3 % 3
                b = 0
                q = tile_1 % 3
                u = 0
                bar_wait(u, qr_out_phase)
                qr_out_phase = qr_out_phase ^ 1
                first = kr_out
                bar_wait(2 + first, kr_out_phase)
                mma_fence(S_l[0:64])
                wgmma(S_l[0:64], 4611686293305360384 + i64(unit * 512), 4611686293305360384 + i64(2048 + first * 2048), shape="m64n128k16", zero=True, tA=False, tB=False, dtype="f16")
                for k in unroll(1, 8):
                    wgmma(S_l[0:64], 4611686293305360384 + i64(unit * 512 + tdiv(k, 4) * 1024 + tmod(k, 4) * 2), 4611686293305360384 + i64(2048 + first * 2048 + tdiv(k, 4) * 1024 + tmod(k, 4) * 2), shape="m64n128k16", zero=False, tA=False, tB=False, dtype="f16")
                mma_commit()
                mma_wait(0, S_l[0:64])
                bar_arrive(4 + first, unit="group")
                kr_out = kr_out ^ 1
                kr_out_phase = kr_out_phase ^ 1 if kr_out == 0 else kr_out_phase
                for v_1 in unroll(2):
                    top[v_1] = -1e30
                top_part = local(f32, [2], of=frag([128], [[t(2, 128), t(4, 32), r(2, 1), t(8, 4)]], rep=[t(4, 1)]))
                for i in unroll(2):
                    top_part[i] = -inf(f32)
                for i in unroll(2):
                    for i_1 in unroll(16):
                        for i_2 in unroll(2):
                            top_part[i] = maximum(top_part[i], S_l[i * 2 + i_1 * 4 + i_2])
                for i in unroll(2):
                    for o in steps(2, 1):
                        top_part[i] = maximum(top_part[i], shfl_xor(top_part[i], o))
                for i in unroll(2):
                    top[i] = maximum(top[i], top_part[i])
                for i in unroll(2):
                    for c in unroll(16):
                        for c_1 in unroll(2):
                            S_l[i * 2 + c * 4 + c_1] = fast_exp2(fma(S_l[i * 2 + c * 4 + c_1], 0.12751743, -(top[i] * 0.12751743)))
                for i in unroll(2):
                    part[i] = 0.0
                for i in unroll(2):
                    for i_1 in unroll(16):
                        for i_2 in unroll(2):
                            part[i] = part[i] + S_l[i * 2 + i_1 * 4 + i_2]
                for v_1 in unroll(2):
                    for v_2 in unroll(16):
                        P_l[v_1 * 2 + v_2 * 4:v_1 * 2 + v_2 * 4 + 2] = f16(S_l[v_1 * 2 + v_2 * 4:v_1 * 2 + v_2 * 4 + 2])
                for v_1 in unroll(2):
                    for v_2 in unroll(16):
                        for v_3 in unroll(2):
                            O_l[v_1 * 2 + v_2 * 4 + v_3] = 0.0
                for j in serial(1, 3):
                    n = kr_out
                    bar_wait(2 + n, kr_out_phase)
                    mma_fence(S_l[0:64])
                    wgmma(S_l[0:64], 4611686293305360384 + i64(unit * 512), 4611686293305360384 + i64(2048 + n * 2048), shape="m64n128k16", zero=True, tA=False, tB=False, dtype="f16")
                    for k in unroll(1, 8):
                        wgmma(S_l[0:64], 4611686293305360384 + i64(unit * 512 + tdiv(k, 4) * 1024 + tmod(k, 4) * 2), 4611686293305360384 + i64(2048 + n * 2048 + tdiv(k, 4) * 1024 + tmod(k, 4) * 2), shape="m64n128k16", zero=False, tA=False, tB=False, dtype="f16")
                    mma_commit()
                    v = vr_out
                    bar_wait(6 + v, vr_out_phase)
                    mma_fence(O_l[0:64], P_l[0:64])
                    for k in unroll(8):
                        wgmma(O_l[0:64], P_l[k * 8:k * 8 + 8], 4611686293372403712 + i64(6144 + v * 2048 + k * 128), shape="m64n128k16", zero=False, tA=False, tB=True, dtype="f16")
                    mma_commit()
                    mma_wait(1, S_l[0:64])
                    bar_arrive(4 + n, unit="group")
                    kr_out = kr_out ^ 1
                    kr_out_phase = kr_out_phase ^ 1 if kr_out == 0 else kr_out_phase
                    if j == 2:
                        bar_arrive(1, unit="group")
                    for v_1 in unroll(2):
                        old[v_1] = top[v_1]
                    top_part_1 = local(f32, [2], of=frag([128], [[t(2, 128), t(4, 32), r(2, 1), t(8, 4)]], rep=[t(4, 1)]))
                    for i in unroll(2):
                        top_part_1[i] = -inf(f32)
                    for i in unroll(2):
                        for i_1 in unroll(16):
                            for i_2 in unroll(2):
                                top_part_1[i] = maximum(top_part_1[i], S_l[i * 2 + i_1 * 4 + i_2])
                    for i in unroll(2):
                        for o in steps(2, 1):
                            top_part_1[i] = maximum(top_part_1[i], shfl_xor(top_part_1[i], o))
                    for i in unroll(2):
                        top[i] = maximum(top[i], top_part_1[i])
                    for i in unroll(2):
                        old[i] = fast_exp2(fma(old[i], 0.12751743, -(top[i] * 0.12751743)))
                    for i in unroll(2):
                        part[i] = part[i] * old[i]
                    for i in unroll(2):
                        for c in unroll(16):
                            for c_1 in unroll(2):
                                S_l[i * 2 + c * 4 + c_1] = fast_exp2(fma(S_l[i * 2 + c * 4 + c_1], 0.12751743, -(top[i] * 0.12751743)))
                    part_part = local(f32, [2], of=frag([128, 4], [[t(2, 128), t(4, 32), r(2, 1), t(8, 4)], [t(4, 1)]]))
                    for i in unroll(2):
                        part_part[i] = 0.0
                    for i in unroll(2):
                        for i_1 in unroll(16):
                            for i_2 in unroll(2):
                                part_part[i] = part_part[i] + S_l[i * 2 + i_1 * 4 + i_2]
                    for i in unroll(2):
                        part[i] = part[i] + part_part[i]
                    mma_wait(0, O_l[0:64])
                    bar_arrive(8 + v, unit="group")
                    vr_out = vr_out ^ 1
                    vr_out_phase = vr_out_phase ^ 1 if vr_out == 0 else vr_out_phase
                    for i in unroll(2):
                        for c in unroll(16):
                            for c_1 in unroll(2):
                                O_l[i * 2 + c * 4 + c_1] = O_l[i * 2 + c * 4 + c_1] * old[i]
                    for v_1 in unroll(2):
                        for v_2 in unroll(16):
                            P_l[v_1 * 2 + v_2 * 4:v_1 * 2 + v_2 * 4 + 2] = f16(S_l[v_1 * 2 + v_2 * 4:v_1 * 2 + v_2 * 4 + 2])
                last = vr_out
                bar_wait(6 + last, vr_out_phase)
                mma_fence(O_l[0:64], P_l[0:64])
                for k in unroll(8):
                    wgmma(O_l[0:64], P_l[k * 8:k * 8 + 8], 4611686293372403712 + i64(6144 + last * 2048 + k * 128), shape="m64n128k16", zero=False, tA=False, tB=True, dtype="f16")
                mma_commit()
                mma_wait(0, O_l[0:64])
                bar_arrive(8 + last, unit="group")
                vr_out = vr_out ^ 1
                vr_out_phase = vr_out_phase ^ 1 if vr_out == 0 else vr_out_phase
                for i in unroll(2):
                    total[i] = 0.0
                for i in unroll(2):
                    total[i] = total[i] + part[i]
                for i in unroll(2):
                    for o in steps(2, 1):
                        total[i] = total[i] + shfl_xor(total[i], o)
                for i in unroll(2):
                    total[i] = 1.0 / total[i]
                for i in unroll(2):
                    for c in unroll(16):
                        for c_1 in unroll(2):
                            O_l[i * 2 + c * 4 + c_1] = O_l[i * 2 + c * 4 + c_1] * total[i]
                if tmod(tid, 128) == 0:
                    bulk_wait_read(0)
                group_sync(unit, id=1, threads=128)
                for v_1 in unroll(8):
                    matrices = local(f16, [8])
                    for v_2 in unroll(2):
                        for v_3 in unroll(2):
                            matrices[v_2 * 2 + v_3 * 4:v_2 * 2 + v_3 * 4 + 2] = f16(O_l[v_2 * 2 + (v_1 * 2 + v_3) * 4:v_2 * 2 + (v_1 * 2 + v_3) * 4 + 2])
                    stmatrix(O_s[tdiv(tid, 128) * 8192 + tmod(tdiv(tid, 32), 4) * 1024 + tmod(tdiv(tid, 8), 2) * 512 + tdiv(v_1, 4) * 4096 - 8192 + (tmod(tid, 8) * 64 + tmod(tdiv(tid, 16), 2) * 8 + tmod(v_1, 4) * 16 ^ (tmod(tid, 8) & 7) * 8)], matrices[0:8])
                fence_proxy()
                group_sync(unit, id=1, threads=128)
                if tmod(tid, 128) == 0:
                    tma_store(O_map, [0, q * 128 + unit * 64, 0, h, b], 163840 + unit * 16384)
                    tma_store(O_map, [0, q * 128 + unit * 64, 1, h, b], unit * 16384 + 172032)
                    bulk_commit()
            if tmod(tid, 128) == 0:
                bulk_wait(0)
