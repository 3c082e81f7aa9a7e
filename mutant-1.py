ir(1, level="tile", target="sm_90a", after="insert_barriers")
def attention_causal(Q: tensor(f16, [1, 384, 3, 128]), K: tensor(f16, [1, 384, 3, 128]), V: tensor(f16, [1, 384, 3, 128]), O: tensor(f16, [1, 384, 3, 128])):
    work = workspace(i32, [2], zeroed=True)
    with kernel("attention_causal_k0", grid=[2, 1, 1], block=384, smem=196616) as (bx, by, bz):
        qr = ring(1, fill="tx", bytes=32768, producer="producer", consumer="consumer", unit="group", arrivals=2)
        kr = ring(2, fill="tx", bytes=32768, producer="producer", consumer="consumer", unit="group", arrivals=2)
        vr = ring(2, fill="tx", bytes=32768, producer="producer", consumer="consumer", unit="group", arrivals=2)
        wr = ring(2, fill="arrive", bytes=4, producer="producer", consumer="consumer", unit="warp", arrivals=8)
        out = ring(1, fill="store", bytes=32768, producer="consumer", consumer="consumer", unit="group", arrivals=2)
        mail = shared(i32, [2], lay=[[a(2, 1)]], at=196608, ring=wr)
        with role("producer", 0, 128, regs=40):
            for t, b, h in tiles([3, 1, 3], source="mailbox", ring=wr, counter=work, order="last_fastest"):
                q = 2 - t
                for j in serial(q + 2):
                        w = ring_acquire(kr)
        with role("consumer", 128, 384, regs=232):
            S_l = fragment(f32, [128, 128], lay=[[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]])
            P_l = fragment(f16, [128, 128], lay=[[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]])
            O_l = fragment(f32, [128, 128], lay=[[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]])
            top = fragment(f32, [128], lay=[[t(2, 128), t(4, 32), r(2, 1), t(8, 4)]], rep=[t(4, 1)])
            part = fragment(f32, [128, 4], lay=[[t(2, 128), t(4, 32), r(2, 1), t(8, 4)], [t(4, 1)]])
            S_v = view(S_l, f32, [128, 16, 4, 2])
            for t, b, h in tiles([3, 1, 3], source="mailbox", ring=wr, order="last_fastest"):
                q = 2 - t
                if q == 0:
                    ring_release(qr)
                for i, c in parallel(128, 128, lay=[[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]]):
                    S_l[i, c] = fast_exp2(fma(S_l[i, c], 0.12751743, -(top[i] * 0.12751743)))
                    gemm(P_l, top, O_l, clear=False, by="wgmma", inst=[64, 128, 16], warps=[8, 1], wait=1)