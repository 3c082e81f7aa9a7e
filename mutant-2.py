ir(1, level="tile", target="sm_80", after="infer_layouts")
def f(A: tensor(f16, [16, 256]), C: tensor(f32, [32, 4])):
    with kernel("k", grid=[1, 1, 1], block=32) as bx:
        ring = ring(2, fill="group", bytes=512, producer="main", consumer="main", unit="warp", arrivals=0)
        s = shared(f16, [2, 16, 16], lay=[[a(2, 256)], [a(16, 16)], [a(16, 1)]], ring=ring)
        a = local(f16, [8])
        b = local(f16, [4])
        c = local(f32, [4])
        for k in serial(16):
            ldmatrix(a[0:8], s[tid % 16, tid // 16 * 8:tid // 16 * 8 + 8])