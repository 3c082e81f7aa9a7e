# test: roundtrip
# SPDX-License-Identifier: Apache-2.0
# Attention forward for sm_90a: persistent blocks, a producer warp group, two consumer groups.
ir(1, level="thread", target="sm_90a", after="vectorize")
def attention(Q: tensor(f16, [8, 2048, 16, 128]), K: tensor(f16, [8, 2048, 16, 128]), V: tensor(f16, [8, 2048, 16, 128]), O: tensor(f16, [8, 2048, 16, 128])):
    check_tensor(Q, align=16)
    check_tensor(K, align=16)
    check_tensor(V, align=16)
    check_tensor(O, align=16, write=True)
    work = workspace(i32, [2], zeroed=True)
    Q_map = tensor_map(Q, dims=[64, 2048, 2, 16, 8], strides=[4096, 128, 256, 8388608], box=[64, 128, 2, 1, 1], swz=(16, 128, 7))
    K_map = tensor_map(K, dims=[64, 2048, 2, 16, 8], strides=[4096, 128, 256, 8388608], box=[64, 128, 2, 1, 1], swz=(16, 128, 7))
    V_map = tensor_map(V, dims=[64, 2048, 2, 16, 8], strides=[4096, 128, 256, 8388608], box=[64, 128, 2, 1, 1], swz=(16, 128, 7))
    O_map = tensor_map(O, dims=[64, 2048, 2, 16, 8], strides=[4096, 128, 256, 8388608], box=[64, 64, 1, 1, 1], swz=(16, 128, 7))
    with kernel("attention_k0", grid=[132, 1, 1], block=384, smem=196728) as (bx, by, bz):
        q_full = barrier([1], count=1, unit="lane", tx=True, id=0)
        q_empty = barrier([1], count=2, unit="group", id=1)
        k_full = barrier([2], count=1, unit="lane", tx=True, id=2)
        k_empty = barrier([2], count=2, unit="group", id=4)
        v_full = barrier([2], count=1, unit="lane", tx=True, id=6)
        v_empty = barrier([2], count=2, unit="group", id=8)
        w_full = barrier([2], count=1, unit="lane", id=10)
        w_empty = barrier([2], count=8, unit="warp", id=12)
        Q_s = shared(f16, [1, 128, 128], lay=[[a(1, 16384)], [a(128, 64)], [a(2, 8192), a(64, 1)]], swz=(16, 128, 7), at=0, ring=q)
        K_s = shared(f16, [2, 128, 128], lay=[[a(2, 16384)], [a(128, 64)], [a(2, 8192), a(64, 1)]], swz=(16, 128, 7), at=32768, ring=k)
        V_s = shared(f16, [2, 128, 128], lay=[[a(2, 16384)], [a(128, 64)], [a(2, 8192), a(64, 1)]], swz=(16, 128, 7), at=98304, ring=v)
        O_s = shared(f16, [1, 128, 128], lay=[[a(1, 16384)], [a(2, 8192), a(64, 64)], [a(2, 4096), a(64, 1)]], swz=(16, 128, 7), at=163840, ring=o)
        mail = shared(i32, [2], lay=[[a(2, 1)]], at=196608, ring=w)
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
                while tile < 2048:
                    bar_wait(w_empty[wsl], wp ^ 1)
                    mail[wsl] = tile
                    bar_arrive(w_full[wsl], unit="lane")
                    wsl = wsl ^ 1
                    wp = wp ^ 1 if wsl == 0 else wp
                    qb = tile % 16
                    hd = tile // 16 % 16
                    bt = tile // 16 // 16
                    bar_wait(q_empty[0], qp ^ 1)
                    bar_arrive_expect(q_full[0], 32768)
                    tma_load(Q_s[0, 0:128, 0:128], Q_map, [0, qb * 128, 0, hd, bt], q_full[0])
                    qp = qp ^ 1
                    for j in serial(17):
                        if j < 16:
                            bar_wait(k_empty[ks], kp ^ 1)
                            bar_arrive_expect(k_full[ks], 32768)
                            tma_load(K_s[ks, 0:128, 0:128], K_map, [0, j * 128, 0, hd, bt], k_full[ks])
                            ks = ks ^ 1
                            kp = kp ^ 1 if ks == 0 else kp
                        if j > 0:
                            bar_wait(v_empty[vs], vp ^ 1)
                            bar_arrive_expect(v_full[vs], 32768)
                            tma_load(V_s[vs, 0:128, 0:128], V_map, [0, (j - 1) * 128, 0, hd, bt], v_full[vs])
                            vs = vs ^ 1
                            vp = vp ^ 1 if vs == 0 else vp
                    drawn = atomic_add(work[0], 1, order="relaxed")
                    tile = 132 + drawn
                bar_wait(w_empty[wsl], wp ^ 1)
                mail[wsl] = -1
                bar_arrive(w_full[wsl], unit="lane")
                last = atomic_add(work[1], 1, order="acq_rel")
                if last == 131:
                    work[0] = 0
                    work[1] = 0
        with role("consumer", 128, 384, regs=232):
            S_l = local(f32, [64], of=frag([128, 128], [[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]]))
            P_l = local(f16, [64], of=frag([128, 128], [[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]]))
            O_l = local(f32, [64], of=frag([128, 128], [[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]]))
            mx = local(f32, [2], of=frag([128], [[t(2, 128), t(4, 32), r(2, 1), t(8, 4)]], rep=[t(4, 1)]))
            mo = local(f32, [2], of=frag([128], [[t(2, 128), t(4, 32), r(2, 1), t(8, 4)]], rep=[t(4, 1)]))
            ls = local(f32, [2], of=frag([128, 4], [[t(2, 128), t(4, 32), r(2, 1), t(8, 4)], [t(4, 1)]]))
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
                ks = ks ^ 1
                kp = kp ^ 1 if ks == 0 else kp
                for h in unroll(2):
                    mx[h] = -1e30
                    for j in unroll(16):
                        for e in unroll(2):
                            mx[h] = maximum(mx[h], S_l[4 * j + 2 * h + e])
                    mx[h] = maximum(mx[h], shfl_xor(mx[h], 2))
                    mx[h] = maximum(mx[h], shfl_xor(mx[h], 1))
                    ls[h] = 0.0
                    for j in unroll(16):
                        for e in unroll(2):
                            S_l[4 * j + 2 * h + e] = exp2(fma(S_l[4 * j + 2 * h + e], 0.12751743, -(mx[h] * 0.12751743)))
                            ls[h] = ls[h] + S_l[4 * j + 2 * h + e]
                for i in unroll(32):
                    P_l[2 * i:2 * i + 2] = f16(S_l[2 * i:2 * i + 2])
                for i in unroll(64):
                    O_l[i] = 0.0
                for j in serial(1, 16):
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
                    ks = ks ^ 1
                    kp = kp ^ 1 if ks == 0 else kp
                    for h in unroll(2):
                        mo[h] = mx[h]
                        for c in unroll(16):
                            for e in unroll(2):
                                mx[h] = maximum(mx[h], S_l[4 * c + 2 * h + e])
                        mx[h] = maximum(mx[h], shfl_xor(mx[h], 2))
                        mx[h] = maximum(mx[h], shfl_xor(mx[h], 1))
                        mo[h] = exp2(fma(mo[h], 0.12751743, -(mx[h] * 0.12751743)))
                        ls[h] = ls[h] * mo[h]
                        for c in unroll(16):
                            for e in unroll(2):
                                S_l[4 * c + 2 * h + e] = exp2(fma(S_l[4 * c + 2 * h + e], 0.12751743, -(mx[h] * 0.12751743)))
                                ls[h] = ls[h] + S_l[4 * c + 2 * h + e]
                    mma_wait(0)
                    bar_arrive(v_empty[vs], unit="group")
                    vs = vs ^ 1
                    vp = vp ^ 1 if vs == 0 else vp
                    for c in unroll(16):
                        for h in unroll(2):
                            for e in unroll(2):
                                O_l[4 * c + 2 * h + e] = O_l[4 * c + 2 * h + e] * mo[h]
                    for i in unroll(32):
                        P_l[2 * i:2 * i + 2] = f16(S_l[2 * i:2 * i + 2])
                bar_arrive(q_empty[0], unit="group")
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
                    ls[h] = ls[h] + shfl_xor(ls[h], 2)
                    ls[h] = ls[h] + shfl_xor(ls[h], 1)
                if leader("group"):
                    bulk_wait_read(0)
                group_sync(g)
                for c in unroll(16):
                    for h in unroll(2):
                        O_s[0, g * 64 + tid % 128 // 32 * 16 + h * 8 + lane // 4, c * 8 + lane % 4 * 2:c * 8 + lane % 4 * 2 + 2] = f16(O_l[4 * c + 2 * h:4 * c + 2 * h + 2] / ls[h])
                fence_proxy()
                group_sync(g)
                if leader("group"):
                    for c in unroll(2):
                        tma_store(O_map, [0, tile % 16 * 128 + g * 64, c, tile // 16 % 16, tile // 16 // 16], O_s[0, g * 64:g * 64 + 64, c * 64:c * 64 + 64])
                    bulk_commit()
            if leader("group"):
                bulk_wait(0)
