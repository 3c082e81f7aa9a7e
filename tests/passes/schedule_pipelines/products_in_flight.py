# test: passes run=select_instructions,schedule_pipelines
# The second matmul of an iteration runs after the first one of the next, while the threads do what
# is between the two. `q` is released after its last use.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f(Q: tensor(f16, [64, 64]), K: tensor(f16, [256, 64]), V: tensor(f16, [256, 64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        q = shared(f16, [64, 64])
        k = shared(f16, [64, 64])
        v = shared(f16, [64, 64])
        s = fragment(f32, [64, 64])
        p = fragment(f16, [64, 64])
        o = fragment(f32, [64, 64])
        copy(Q[0:64, 0:64], q)
        for j in pipelined(4, stages=2):
            copy(K[j * 64:j * 64 + 64, 0:64], k)
            gemm(q, k, s, tB=True, clear=True)
            for a, b in parallel(64, 64):
                s[a, b] = s[a, b] * s[a, b]
            copy(V[j * 64:j * 64 + 64, 0:64], v)
            copy(s, p)
            gemm(p, v, o, clear=False)
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(Q: tensor(f16, [64, 64]), K: tensor(f16, [256, 64]), V: tensor(f16, [256, 64])):
#>     Q_map = tensor_map(Q, dims=[64, 64], strides=[128], box=[64, 64], swz=(16, 128, 7))
#>     K_map = tensor_map(K, dims=[64, 256], strides=[128], box=[64, 64], swz=(16, 128, 7))
#>     V_map = tensor_map(V, dims=[64, 256], strides=[128], box=[64, 64], swz=(16, 128, 7))
#>     with kernel("k", grid=[1, 1, 1], block=256) as (bx, by, bz):
#>         ring = ring(2, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="group", arrivals=1)
#>         ring_1 = ring(2, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="group", arrivals=1)
#>         ring_2 = ring(1, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="group", arrivals=1)
#>         k = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring)
#>         v = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring_1)
#>         q = shared(f16, [1, 64, 64], lay=[[a(1, 4096)], [a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring_2)
#>         with role("producer", 0, 128):
#>             s_3 = ring_acquire(ring_2)
#>             copy(Q, q[s_3], by="engine", map=Q_map)
#>             ring_commit(ring_2)
#>             for j in serial(4):
#>                 s_1 = ring_acquire(ring)
#>                 copy(K[j * 64:j * 64 + 64], k[s_1], by="engine", map=K_map)
#>                 ring_commit(ring)
#>                 s_2 = ring_acquire(ring_1)
#>                 copy(V[j * 64:j * 64 + 64], v[s_2], by="engine", map=V_map)
#>                 ring_commit(ring_1)
#>         with role("consumer", 128, 256):
#>             s = fragment(f32, [64, 64])
#>             p = fragment(f16, [64, 64])
#>             o = fragment(f32, [64, 64])
#>             s_3 = ring_wait(ring_2)
#>             s_1_1 = ring_wait(ring)
#>             gemm(q[s_3], k[s_1_1], s, tB=True, clear=True, by="wgmma", inst=[64, 64, 16], warps=[4, 1], wait=0)
#>             ring_release(ring)
#>             for a, b in parallel(64, 64):
#>                 s[a, b] = s[a, b] * s[a, b]
#>             copy(s, p, by="simt")
#>             for j in serial(1, 4):
#>                 s_1 = ring_wait(ring)
#>                 gemm(q[s_3], k[s_1], s, tB=True, clear=True, by="wgmma", inst=[64, 64, 16], warps=[4, 1], wait=1)
#>                 s_2 = ring_wait(ring_1)
#>                 gemm(p, v[s_2], o, clear=False, by="wgmma", inst=[64, 64, 16], warps=[4, 1], wait=1)
#>                 if j == 3:
#>                     ring_release(ring_2)
#>                 ring_release(ring)
#>                 for a, b in parallel(64, 64):
#>                     s[a, b] = s[a, b] * s[a, b]
#>                 mma_wait(0)
#>                 ring_release(ring_1)
#>                 copy(s, p, by="simt")
#>             s_2_1 = ring_wait(ring_1)
#>             gemm(p, v[s_2_1], o, clear=False, by="wgmma", inst=[64, 64, 16], warps=[4, 1], wait=0)
#>             ring_release(ring_1)
