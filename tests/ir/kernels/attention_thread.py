# test: becomes is=attention_flat
# SPDX-License-Identifier: Apache-2.0
# Flash attention for sm_90a: persistent blocks that draw tiles from a counter and pass them on in a
# mailbox, one producer thread, two consumer groups, softmax while PV of the block before is in flight.
ir(1, level="thread", target="sm_90a", after="vectorize", const=dict(B=1, S=384, H=3, G=2))
def attention(Q: tensor(f16, [B, S, H, 128]), K: tensor(f16, [B, S, H, 128]), V: tensor(f16, [B, S, H, 128]), O: tensor(f16, [B, S, H, 128])):
    check_tensor(Q, align=16)
    check_tensor(K, align=16)
    check_tensor(V, align=16)
    check_tensor(O, align=16, write=True)
    work = workspace(i32, [2], zeroed=True)
    Q_map = tensor_map(Q, dims=[64, S, 2, H, B], strides=[H * 256, 128, 256, S * H * 256], box=[64, 128, 2, 1, 1], swz=(16, 128, 7))
    K_map = tensor_map(K, dims=[64, S, 2, H, B], strides=[H * 256, 128, 256, S * H * 256], box=[64, 128, 2, 1, 1], swz=(16, 128, 7))
    V_map = tensor_map(V, dims=[64, S, 2, H, B], strides=[H * 256, 128, 256, S * H * 256], box=[64, 128, 2, 1, 1], swz=(16, 128, 7))
    O_map = tensor_map(O, dims=[64, S, 2, H, B], strides=[H * 256, 128, 256, S * H * 256], box=[64, 64, 1, 1, 1], swz=(16, 128, 7))
    with kernel("attention_k0", grid=[G, 1, 1], block=384, smem=196728) as (bx, by, bz):
        q_full = barrier([1], count=1, unit="lane", tx=True, id=0)
        q_empty = barrier([1], count=2, unit="group", tx=False, id=1)
        k_full = barrier([2], count=1, unit="lane", tx=True, id=2)
        k_empty = barrier([2], count=2, unit="group", tx=False, id=4)
        v_full = barrier([2], count=1, unit="lane", tx=True, id=6)
        v_empty = barrier([2], count=2, unit="group", tx=False, id=8)
        w_full = barrier([2], count=1, unit="lane", tx=False, id=10)
        w_empty = barrier([2], count=8, unit="warp", tx=False, id=12)
        Q_s = shared(f16, [1, 128, 128], lay=[[a(1, 16384)], [a(128, 64)], [a(2, 8192), a(64, 1)]], swz=(16, 128, 7), at=0)
        K_s = shared(f16, [2, 128, 128], lay=[[a(2, 16384)], [a(128, 64)], [a(2, 8192), a(64, 1)]], swz=(16, 128, 7), at=32768)
        V_s = shared(f16, [2, 128, 128], lay=[[a(2, 16384)], [a(128, 64)], [a(2, 8192), a(64, 1)]], swz=(16, 128, 7), at=98304)
        O_s = shared(f16, [1, 128, 128], lay=[[a(1, 16384)], [a(2, 8192), a(64, 64)], [a(2, 4096), a(64, 1)]], swz=(16, 128, 7), at=163840)
        mail = shared(i32, [2], lay=[[a(2, 1)]], at=196608)
        if leader("block"):
            bar_init(q_full)
            bar_init(q_empty)
            bar_init(k_full)
            bar_init(k_empty)
            bar_init(v_full)
            bar_init(v_empty)
            bar_init(w_full)
            bar_init(w_empty)
            init_fence()
        block_sync()
        with role("producer", 0, 128, regs=40):
            if leader("role"):
                tile = var(i32, bx)
                qp = var(i32, 0)
                ks = var(i32, 0)
                kp = var(i32, 0)
                vs = var(i32, 0)
                vp = var(i32, 0)
                wsl = var(i32, 0)
                wp = var(i32, 0)
                while tile < B * H * (S // 128):
                    bar_wait(w_empty[wsl], wp ^ 1)
                    mail[wsl] = tile
                    bar_arrive(w_full[wsl], unit="lane")
                    wsl = wsl ^ 1
                    wp = wp ^ 1 if wsl == 0 else wp
                    row = tile % (S // 128)
                    head = tile // (S // 128) % H
                    batch = tile // (S // 128) // H
                    for j in serial(S // 128 + 1):
                        if j < S // 128:
                            bar_wait(k_empty[ks], kp ^ 1)
                            bar_arrive_expect(k_full[ks], 32768)
                            tma_load(K_s[ks, 0:128, 0:128], K_map, [0, j * 128, 0, head, batch], k_full[ks])
                            ks = ks ^ 1
                            kp = kp ^ 1 if ks == 0 else kp
                        if j == 0:
                            bar_wait(q_empty[0], qp ^ 1)
                            bar_arrive_expect(q_full[0], 32768)
                            tma_load(Q_s[0, 0:128, 0:128], Q_map, [0, row * 128, 0, head, batch], q_full[0])
                            qp = qp ^ 1
                        if j > 0:
                            bar_wait(v_empty[vs], vp ^ 1)
                            bar_arrive_expect(v_full[vs], 32768)
                            tma_load(V_s[vs, 0:128, 0:128], V_map, [0, (j - 1) * 128, 0, head, batch], v_full[vs])
                            vs = vs ^ 1
                            vp = vp ^ 1 if vs == 0 else vp
                    drawn = atomic_add(work[0], 1, order="relaxed")
                    tile = G + drawn
                bar_wait(w_empty[wsl], wp ^ 1)
                mail[wsl] = -1
                bar_arrive(w_full[wsl], unit="lane")
                last = atomic_add(work[1], 1, order="acq_rel")
                if last == G - 1:
                    work[0] = 0
                    work[1] = 0
        with role("consumer", 128, 384, regs=232):
            S_l = local(f32, [64], of=frag([128, 128], [[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]]))
            P_l = local(f16, [64], of=frag([128, 128], [[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]]))
            O_l = local(f32, [64], of=frag([128, 128], [[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]]))
            top = local(f32, [4])
            old = local(f32, [2])
            total = local(f32, [2])
            part = local(f32, [4])
            g = uniform(tid // 128)
            qp = var(i32, 0)
            ks = var(i32, 0)
            kp = var(i32, 0)
            vs = var(i32, 0)
            vp = var(i32, 0)
            wsl = var(i32, 0)
            wp = var(i32, 0)
            while True:
                bar_wait(w_full[wsl], wp)
                tile = uniform(mail[wsl])
                bar_arrive(w_empty[wsl], unit="warp")
                wsl = wsl ^ 1
                wp = wp ^ 1 if wsl == 0 else wp
                if tile < 0:
                    break
                bar_wait(q_full[0], qp)
                bar_wait(k_full[ks], kp)
                mma_fence(S_l[0:64])
                wgmma(S_l[0:64], Q_s[0, g * 64:g * 64 + 64, 0:16], K_s[ks, 0:128, 0:16], shape="m64n128k16", zero=True, tA=False, tB=False)
                for kk in unroll(1, 8):
                    wgmma(S_l[0:64], Q_s[0, g * 64:g * 64 + 64, kk * 16:kk * 16 + 16], K_s[ks, 0:128, kk * 16:kk * 16 + 16], shape="m64n128k16", zero=False, tA=False, tB=False)
                mma_commit()
                mma_wait(0)
                bar_arrive(k_empty[ks], unit="group")
                if S // 128 == 1:
                    bar_arrive(q_empty[0], unit="group")
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
                for j in serial(1, S // 128):
                    bar_wait(k_full[ks], kp)
                    mma_fence(S_l[0:64])
                    wgmma(S_l[0:64], Q_s[0, g * 64:g * 64 + 64, 0:16], K_s[ks, 0:128, 0:16], shape="m64n128k16", zero=True, tA=False, tB=False)
                    for kk in unroll(1, 8):
                        wgmma(S_l[0:64], Q_s[0, g * 64:g * 64 + 64, kk * 16:kk * 16 + 16], K_s[ks, 0:128, kk * 16:kk * 16 + 16], shape="m64n128k16", zero=False, tA=False, tB=False)
                    mma_commit()
                    bar_wait(v_full[vs], vp)
                    mma_fence(O_l[0:64], P_l[0:64])
                    for kk in unroll(8):
                        wgmma(O_l[0:64], P_l[8 * kk:8 * kk + 8], V_s[vs, kk * 16:kk * 16 + 16, 0:128], shape="m64n128k16", zero=False, tA=False, tB=True)
                    mma_commit()
                    mma_wait(1)
                    bar_arrive(k_empty[ks], unit="group")
                    if j == S // 128 - 1:
                        bar_arrive(q_empty[0], unit="group")
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
                    mma_wait(0)
                    bar_arrive(v_empty[vs], unit="group")
                    vs = vs ^ 1
                    vp = vp ^ 1 if vs == 0 else vp
                    for c in unroll(16):
                        for h in unroll(2):
                            for e in unroll(2):
                                O_l[4 * c + 2 * h + e] = O_l[4 * c + 2 * h + e] * old[h]
                    for i in unroll(32):
                        P_l[2 * i:2 * i + 2] = f16(S_l[2 * i:2 * i + 2])
                qp = qp ^ 1
                bar_wait(v_full[vs], vp)
                mma_fence(O_l[0:64], P_l[0:64])
                for kk in unroll(8):
                    wgmma(O_l[0:64], P_l[8 * kk:8 * kk + 8], V_s[vs, kk * 16:kk * 16 + 16, 0:128], shape="m64n128k16", zero=False, tA=False, tB=True)
                mma_commit()
                mma_wait(0)
                bar_arrive(v_empty[vs], unit="group")
                vs = vs ^ 1
                vp = vp ^ 1 if vs == 0 else vp
                for h in unroll(2):
                    total[h] = part[2 * h] + part[2 * h + 1]
                    total[h] = total[h] + shfl_xor(total[h], 2)
                    total[h] = total[h] + shfl_xor(total[h], 1)
                    total[h] = 1.0 / total[h]
                if leader("group"):
                    bulk_wait_read(0)
                group_sync(g, id=1, threads=128)
                for c in unroll(16):
                    for h in unroll(2):
                        O_s[0, g * 64 + tid % 128 // 32 * 16 + h * 8 + lane // 4, c * 8 + lane % 4 * 2:c * 8 + lane % 4 * 2 + 2] = f16(O_l[4 * c + 2 * h:4 * c + 2 * h + 2] * total[h])
                fence_proxy()
                group_sync(g, id=1, threads=128)
                if leader("group"):
                    for c in unroll(2):
                        tma_store(O_map, [0, tile % (S // 128) * 128 + g * 64, c, tile // (S // 128) % H, tile // (S // 128) // H], O_s[0, g * 64:g * 64 + 64, c * 64:c * 64 + 64])
                    bulk_commit()
            if leader("group"):
                bulk_wait(0)
