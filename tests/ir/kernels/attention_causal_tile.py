# test: verify
# SPDX-License-Identifier: Apache-2.0
# Causal attention for sm_90a: as attention_tile.py, but for the keys. The block of keys on the
# diagonal comes first, where softmax begins anyhow, and alone has a mask; then those before it. Long
# rows of tiles are drawn first.
ir(1, level="tile", target="sm_90a", after="insert_barriers", const=dict(B=1, S=384, H=3, G=2))
def attention_causal(Q: tensor(f16, [B, S, H, 128]), K: tensor(f16, [B, S, H, 128]), V: tensor(f16, [B, S, H, 128]), O: tensor(f16, [B, S, H, 128])):
    check_tensor(Q, align=16)
    check_tensor(K, align=16)
    check_tensor(V, align=16)
    check_tensor(O, align=16, write=True)
    work = workspace(i32, [2], zeroed=True)
    Q_map = tensor_map(Q, dims=[64, S, 2, H, B], strides=[H * 256, 128, 256, S * H * 256], box=[64, 128, 2, 1, 1], swz=(16, 128, 7))
    K_map = tensor_map(K, dims=[64, S, 2, H, B], strides=[H * 256, 128, 256, S * H * 256], box=[64, 128, 2, 1, 1], swz=(16, 128, 7))
    V_map = tensor_map(V, dims=[64, S, 2, H, B], strides=[H * 256, 128, 256, S * H * 256], box=[64, 128, 2, 1, 1], swz=(16, 128, 7))
    O_map = tensor_map(O, dims=[64, S, 2, H, B], strides=[H * 256, 128, 256, S * H * 256], box=[64, 64, 1, 1, 1], swz=(16, 128, 7))
    with kernel("attention_causal_k0", grid=[G, 1, 1], block=384, smem=196616) as (bx, by, bz):
        qr = ring(1, fill="tx", bytes=32768, producer="producer", consumer="consumer", unit="group", arrivals=2)
        kr = ring(2, fill="tx", bytes=32768, producer="producer", consumer="consumer", unit="group", arrivals=2)
        vr = ring(2, fill="tx", bytes=32768, producer="producer", consumer="consumer", unit="group", arrivals=2)
        wr = ring(2, fill="arrive", bytes=4, producer="producer", consumer="consumer", unit="warp", arrivals=8)
        out = ring(1, fill="store", bytes=32768, producer="consumer", consumer="consumer", unit="group", arrivals=2)
        Q_s = shared(f16, [1, 128, 128], lay=[[a(1, 16384)], [a(128, 64)], [a(2, 8192), a(64, 1)]], swz=(16, 128, 7), at=0, ring=qr)
        K_s = shared(f16, [2, 128, 128], lay=[[a(2, 16384)], [a(128, 64)], [a(2, 8192), a(64, 1)]], swz=(16, 128, 7), at=32768, ring=kr)
        V_s = shared(f16, [2, 128, 128], lay=[[a(2, 16384)], [a(128, 64)], [a(2, 8192), a(64, 1)]], swz=(16, 128, 7), at=98304, ring=vr)
        O_s = shared(f16, [1, 128, 128], lay=[[a(1, 16384)], [a(2, 8192), a(64, 64)], [a(2, 4096), a(64, 1)]], swz=(16, 128, 7), at=163840, ring=out)
        mail = shared(i32, [2], lay=[[a(2, 1)]], at=196608, ring=wr)
        with role("producer", 0, 128, regs=40):
            for t, b, h in tiles([S // 128, B, H], source="mailbox", ring=wr, counter=work, order="last_fastest"):
                q = S // 128 - 1 - t
                for j in serial(q + 2):
                    if j <= q:
                        w = ring_acquire(kr)
                        copy(K[b, (q - j) * 128:(q - j) * 128 + 128, h, 0:128], K_s[w], by="engine", map=K_map)
                        ring_commit(kr)
                    if j == 0:
                        w = ring_acquire(qr)
                        copy(Q[b, q * 128:q * 128 + 128, h, 0:128], Q_s[w], by="engine", map=Q_map)
                        ring_commit(qr)
                    if j > 0:
                        w = ring_acquire(vr)
                        copy(V[b, (q - j + 1) * 128:(q - j + 1) * 128 + 128, h, 0:128], V_s[w], by="engine", map=V_map)
                        ring_commit(vr)
        with role("consumer", 128, 384, regs=232):
            S_l = fragment(f32, [128, 128], lay=[[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]])
            P_l = fragment(f16, [128, 128], lay=[[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]])
            O_l = fragment(f32, [128, 128], lay=[[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]])
            top = fragment(f32, [128], lay=[[t(2, 128), t(4, 32), r(2, 1), t(8, 4)]], rep=[t(4, 1)])
            old = fragment(f32, [128], lay=[[t(2, 128), t(4, 32), r(2, 1), t(8, 4)]], rep=[t(4, 1)])
            total = fragment(f32, [128], lay=[[t(2, 128), t(4, 32), r(2, 1), t(8, 4)]], rep=[t(4, 1)])
            part = fragment(f32, [128, 4], lay=[[t(2, 128), t(4, 32), r(2, 1), t(8, 4)], [t(4, 1)]])
            S_v = view(S_l, f32, [128, 16, 4, 2])
            for t, b, h in tiles([S // 128, B, H], source="mailbox", ring=wr, order="last_fastest"):
                q = S // 128 - 1 - t
                u = ring_wait(qr)
                first = ring_wait(kr)
                gemm(Q_s[u], K_s[first], S_l, tB=True, clear=True, by="wgmma", inst=[64, 128, 16], warps=[8, 1], wait=0)
                ring_release(kr)
                if q == 0:
                    ring_release(qr)
                for i, c in parallel(128, 128, lay=[[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]]):
                    S_l[i, c] = S_l[i, c] if c <= i else -1e30
                fill(top, -1e30, lay=[[t(2, 128), t(4, 32), r(2, 1), t(8, 4)]], rep=[t(4, 1)])
                reduce(S_l, top, dims=[1], op="max", clear=False, order=["regs", "shfl 2 1"])
                for i, c in parallel(128, 128, lay=[[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]]):
                    S_l[i, c] = fast_exp2(fma(S_l[i, c], 0.12751743, -(top[i] * 0.12751743)))
                reduce(S_v, part, dims=[1, 3], op="sum", clear=True, order=["regs"])
                copy(S_l, P_l, by="simt", vec=2, lay=[[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]])
                fill(O_l, 0.0, lay=[[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]])
                for j in serial(1, q + 1):
                    n = ring_wait(kr)
                    gemm(Q_s[u], K_s[n], S_l, tB=True, clear=True, by="wgmma", inst=[64, 128, 16], warps=[8, 1], wait=1)
                    v = ring_wait(vr)
                    gemm(P_l, V_s[v], O_l, clear=False, by="wgmma", inst=[64, 128, 16], warps=[8, 1], wait=1)
                    ring_release(kr)
                    if j == q:
                        ring_release(qr)
                    copy(top, old, by="simt", lay=[[t(2, 128), t(4, 32), r(2, 1), t(8, 4)]], rep=[t(4, 1)])
                    reduce(S_l, top, dims=[1], op="max", clear=False, order=["regs", "shfl 2 1"])
                    for i in parallel(128, lay=[[t(2, 128), t(4, 32), r(2, 1), t(8, 4)]], rep=[t(4, 1)]):
                        old[i] = fast_exp2(fma(old[i], 0.12751743, -(top[i] * 0.12751743)))
                    for i, p in parallel(128, 4, lay=[[t(2, 128), t(4, 32), r(2, 1), t(8, 4)], [t(4, 1)]]):
                        part[i, p] = part[i, p] * old[i]
                    for i, c in parallel(128, 128, lay=[[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]]):
                        S_l[i, c] = fast_exp2(fma(S_l[i, c], 0.12751743, -(top[i] * 0.12751743)))
                    reduce(S_v, part, dims=[1, 3], op="sum", clear=False, order=["regs"])
                    mma_wait(0)
                    ring_release(vr)
                    for i, c in parallel(128, 128, lay=[[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]]):
                        O_l[i, c] = O_l[i, c] * old[i]
                    copy(S_l, P_l, by="simt", vec=2, lay=[[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]])
                last = ring_wait(vr)
                gemm(P_l, V_s[last], O_l, clear=False, by="wgmma", inst=[64, 128, 16], warps=[8, 1], wait=0)
                ring_release(vr)
                reduce(part, total, dims=[1], op="sum", clear=True, order=["shfl 2 1"])
                for i in parallel(128, lay=[[t(2, 128), t(4, 32), r(2, 1), t(8, 4)]], rep=[t(4, 1)]):
                    total[i] = 1.0 / total[i]
                for i, c in parallel(128, 128, lay=[[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]]):
                    O_l[i, c] = O_l[i, c] * total[i]
                w = ring_acquire(out)
                copy(O_l, O_s[w], by="simt", vec=2, lay=[[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]])
                ring_commit(out)
                e = ring_wait(out)
                copy(O_s[e], O[b, q * 128:q * 128 + 128, h, 0:128], by="engine", map=O_map)
                ring_release(out)
#> ok
