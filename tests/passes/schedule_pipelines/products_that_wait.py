# test: passes run=select_instructions,schedule_pipelines
# The second matmul feeds the first one of the next iteration, so nothing can run meanwhile.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f(K: tensor(f16, [256, 64]), V: tensor(f16, [256, 64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        k = shared(f16, [64, 64])
        v = shared(f16, [64, 64])
        s = fragment(f32, [64, 64])
        p = fragment(f16, [64, 64])
        for j in pipelined(4, stages=2):
            copy(K[j * 64:j * 64 + 64, 0:64], k)
            gemm(p, k, s, tB=True, clear=False)
            copy(V[j * 64:j * 64 + 64, 0:64], v)
            copy(s, p)
            gemm(p, v, s, clear=False)
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(K: tensor(f16, [256, 64]), V: tensor(f16, [256, 64])):
#>     K_map = tensor_map(K, dims=[64, 256], strides=[128], box=[64, 64], swz=(16, 128, 7))
#>     V_map = tensor_map(V, dims=[64, 256], strides=[128], box=[64, 64], swz=(16, 128, 7))
#>     with kernel("k", grid=[1, 1, 1], block=256) as (bx, by, bz):
#>         ring = ring(2, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="group", arrivals=1)
#>         ring_1 = ring(2, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="group", arrivals=1)
#>         k = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring)
#>         v = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring_1)
#>         with role("producer", 0, 128):
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
#>             for j in serial(4):
#>                 s_1 = ring_wait(ring)
#>                 gemm(p, k[s_1], s, tB=True, clear=False, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
#>                 ring_release(ring)
#>                 copy(s, p, by="simt")
#>                 s_2 = ring_wait(ring_1)
#>                 gemm(p, v[s_2], s, clear=False, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
#>                 ring_release(ring_1)
