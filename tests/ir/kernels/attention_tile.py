# test: roundtrip
# SPDX-License-Identifier: Apache-2.0
# Attention forward for sm_90a: persistent blocks, a producer warp group, two consumer groups.
ir(1, level="tile", target="sm_90a", after="insert_barriers")
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
    with kernel("attention_k0", grid=[132, 1, 1], block=384, smem=196616) as (bx, by, bz):
        wr = ring(2, fill="arrive", bytes=4, producer="producer", consumer="consumer", unit="warp", arrivals=8)
        qr = ring(1, fill="tx", bytes=32768, producer="producer", consumer="consumer", unit="group", arrivals=2)
        kr = ring(2, fill="tx", bytes=32768, producer="producer", consumer="consumer", unit="group", arrivals=2)
        vr = ring(2, fill="tx", bytes=32768, producer="producer", consumer="consumer", unit="group", arrivals=2)
        orr = ring(1, fill="store", bytes=32768, producer="consumer", consumer="consumer", unit="group", arrivals=1)
        Q_s = shared(f16, [1, 128, 128], lay=[[a(1, 16384)], [a(128, 64)], [a(2, 8192), a(64, 1)]], swz=(16, 128, 7), at=0, ring=qr)
        K_s = shared(f16, [2, 128, 128], lay=[[a(2, 16384)], [a(128, 64)], [a(2, 8192), a(64, 1)]], swz=(16, 128, 7), at=32768, ring=kr)
        V_s = shared(f16, [2, 128, 128], lay=[[a(2, 16384)], [a(128, 64)], [a(2, 8192), a(64, 1)]], swz=(16, 128, 7), at=98304, ring=vr)
        O_s = shared(f16, [1, 128, 128], lay=[[a(1, 16384)], [a(2, 8192), a(64, 64)], [a(2, 4096), a(64, 1)]], swz=(16, 128, 7), at=163840, ring=orr)
        mail = shared(i32, [2], lay=[[a(2, 1)]], at=196608, ring=wr)
        with role("producer", 0, 128, regs=40):
            for b, h, q in tiles([8, 16, 16], source="mailbox", ring=wr, counter=work, order="last_fastest"):
                u = ring_acquire(qr)
                copy(Q[b, q * 128:q * 128 + 128, h], Q_s[u], by="engine", map=Q_map)
                ring_commit(qr)
                for j in serial(17):
                    if j < 16:
                        v = ring_acquire(kr)
                        copy(K[b, j * 128:j * 128 + 128, h], K_s[v], by="engine", map=K_map)
                        ring_commit(kr)
                    if j > 0:
                        v = ring_acquire(vr)
                        copy(V[b, (j - 1) * 128:(j - 1) * 128 + 128, h], V_s[v], by="engine", map=V_map)
                        ring_commit(vr)
        with role("consumer", 128, 384, regs=232):
            S_l = fragment(f32, [128, 128], lay=[[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]])
            P_l = fragment(f16, [128, 128], lay=[[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]])
            O_l = fragment(f32, [128, 128], lay=[[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]])
            mx = fragment(f32, [128], lay=[[t(2, 128), t(4, 32), r(2, 1), t(8, 4)]], rep=[t(4, 1)])
            mo = fragment(f32, [128], lay=[[t(2, 128), t(4, 32), r(2, 1), t(8, 4)]], rep=[t(4, 1)])
            ls = fragment(f32, [128], lay=[[t(2, 128), t(4, 32), r(2, 1), t(8, 4)]], rep=[t(4, 1)])
            ls4 = fragment(f32, [128, 4], lay=[[t(2, 128), t(4, 32), r(2, 1), t(8, 4)], [t(4, 1)]])
            S_v = view(S_l, f32, [128, 16, 4, 2])
            for b, h, q in tiles([8, 16, 16], source="mailbox", ring=wr, order="last_fastest"):
                u = ring_wait(qr)
                n0 = ring_wait(kr)
                gemm(Q_s[u], K_s[n0], S_l, tB=True, clear=True, by="wgmma", inst=[64, 128, 16], warps=[8, 1], wait=0)
                ring_release(kr)
                fill(mx, -1e30)
                reduce(S_l, mx, dims=[1], op="max", clear=False, order=["regs", "shfl 2 1"])
                for i, c in parallel(128, 128, lay=[[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]]):
                    S_l[i, c] = exp2(fma(S_l[i, c], 0.12751743, -(mx[i] * 0.12751743)))
                reduce(S_v, ls4, dims=[1, 3], op="sum", clear=True, order=["regs"])
                copy(S_l, P_l, by="simt")
                fill(O_l, 0.0)
                for j in serial(1, 16):
                    n = ring_wait(kr)
                    gemm(Q_s[u], K_s[n], S_l, tB=True, clear=True, by="wgmma", inst=[64, 128, 16], warps=[8, 1], wait=1)
                    v = ring_wait(vr)
                    gemm(P_l, V_s[v], O_l, clear=False, by="wgmma", inst=[64, 128, 16], warps=[8, 1], wait=1)
                    ring_release(kr)
                    copy(mx, mo, by="simt")
                    reduce(S_l, mx, dims=[1], op="max", clear=False, order=["regs", "shfl 2 1"])
                    for i in parallel(128, lay=[[t(2, 128), t(4, 32), r(2, 1), t(8, 4)]], rep=[t(4, 1)]):
                        mo[i] = exp2(fma(mo[i], 0.12751743, -(mx[i] * 0.12751743)))
                    for i, c in parallel(128, 128, lay=[[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]]):
                        S_l[i, c] = exp2(fma(S_l[i, c], 0.12751743, -(mx[i] * 0.12751743)))
                    for i, p in parallel(128, 4, lay=[[t(2, 128), t(4, 32), r(2, 1), t(8, 4)], [t(4, 1)]]):
                        ls4[i, p] = ls4[i, p] * mo[i]
                    reduce(S_v, ls4, dims=[1, 3], op="sum", clear=False, order=["regs"])
                    mma_wait(0)
                    ring_release(vr)
                    for i, c in parallel(128, 128, lay=[[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]]):
                        O_l[i, c] = O_l[i, c] * mo[i]
                    copy(S_l, P_l, by="simt")
                ring_release(qr)
                last = ring_wait(vr)
                gemm(P_l, V_s[last], O_l, clear=False, by="wgmma", inst=[64, 128, 16], warps=[8, 1], wait=0)
                ring_release(vr)
                reduce(ls4, ls, dims=[1], op="sum", clear=True, order=["shfl 2 1"])
                for i, c in parallel(128, 128, lay=[[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]]):
                    O_l[i, c] = O_l[i, c] / ls[i]
                o = ring_acquire(orr)
                copy(O_l, O_s[o], by="simt", vec=2)
                ring_commit(orr)
                e = ring_wait(orr)
                copy(O_s[e], O[b, q * 128:q * 128 + 128, h], by="engine", map=O_map)
                ring_release(orr)
