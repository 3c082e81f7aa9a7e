# test: passes run=schedule_pipelines
# Four matmuls, as in the gradient of attention. The second does not need the exponentials, so it is issued before them; each is waited
# for where its result is needed, and slots are released when the last matmul that reads them is complete.
ir(1, level="tile", target="sm_90a", after="select_instructions", configs={"tilelab.hardware_units": True})
def f(Q: tensor(f16, [256, 64]), G: tensor(f16, [256, 64]), K: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        q = shared(f16, [64, 64])
        g = shared(f16, [64, 64])
        k = shared(f16, [64, 64])
        s = fragment(f32, [64, 64])
        t = fragment(f32, [64, 64])
        p = fragment(f16, [64, 64])
        dv = fragment(f32, [64, 64])
        dk = fragment(f32, [64, 64])
        copy(K, k, by="engine")
        fill(dv, 0.0)
        fill(dk, 0.0)
        for m in pipelined(4, stages=2):
            copy(Q[m * 64:m * 64 + 64, 0:64], q, by="engine")
            gemm(k, q, s, tB=True, clear=True, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
            for i, j in parallel(64, 64):
                p[i, j] = cast(f16, exp2(s[i, j]))
            copy(G[m * 64:m * 64 + 64, 0:64], g, by="engine")
            gemm(p, g, dv, clear=False, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
            fill(t, 0.0)
            gemm(k, g, t, tB=True, clear=False, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
            for i, j in parallel(64, 64):
                t[i, j] = t[i, j] * s[i, j]
            copy(t, p)
            gemm(p, q, dk, clear=False, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(Q: tensor(f16, [256, 64]), G: tensor(f16, [256, 64]), K: tensor(f16, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=256) as (bx, by, bz):
#>         ring = ring(2, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="group", arrivals=1)
#>         ring_1 = ring(2, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="group", arrivals=1)
#>         ring_2 = ring(1, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="group", arrivals=1)
#>         q = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], ring=ring)
#>         g = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], ring=ring_1)
#>         k = shared(f16, [1, 64, 64], lay=[[a(1, 4096)], [a(64, 64)], [a(64, 1)]], ring=ring_2)
#>         with role("producer", 0, 128):
#>             s_3 = ring_acquire(ring_2)
#>             copy(K, k[s_3], by="engine")
#>             ring_commit(ring_2)
#>             for m in serial(4):
#>                 s_1 = ring_acquire(ring)
#>                 copy(Q[m * 64:m * 64 + 64], q[s_1], by="engine")
#>                 ring_commit(ring)
#>                 s_2 = ring_acquire(ring_1)
#>                 copy(G[m * 64:m * 64 + 64], g[s_2], by="engine")
#>                 ring_commit(ring_1)
#>         with role("consumer", 128, 256):
#>             s = fragment(f32, [64, 64])
#>             t = fragment(f32, [64, 64])
#>             p = fragment(f16, [64, 64])
#>             dv = fragment(f32, [64, 64])
#>             dk = fragment(f32, [64, 64])
#>             fill(dv, 0.0)
#>             fill(dk, 0.0)
#>             s_3 = ring_wait(ring_2)
#>             for m in serial(4):
#>                 s_1 = ring_wait(ring)
#>                 gemm(k[s_3], q[s_1], s, tB=True, clear=True, by="wgmma", inst=[64, 64, 16], warps=[4, 1], wait=1)
#>                 s_2 = ring_wait(ring_1)
#>                 fill(t, 0.0)
#>                 gemm(k[s_3], g[s_2], t, tB=True, clear=False, by="wgmma", inst=[64, 64, 16], warps=[4, 1], wait=2)
#>                 mma_wait(1)
#>                 for i, j in parallel(64, 64):
#>                     p[i, j] = f16(exp2(s[i, j]))
#>                 gemm(p, g[s_2], dv, clear=False, by="wgmma", inst=[64, 64, 16], warps=[4, 1], wait=2)
#>                 mma_wait(1)
#>                 for i, j in parallel(64, 64):
#>                     t[i, j] = t[i, j] * s[i, j]
#>                 mma_wait(0)
#>                 ring_release(ring_1)
#>                 copy(t, p)
#>                 gemm(p, q[s_1], dk, clear=False, by="wgmma", inst=[64, 64, 16], warps=[4, 1], wait=1)
#>                 mma_wait(0)
#>                 ring_release(ring)
#>             ring_release(ring_2)
