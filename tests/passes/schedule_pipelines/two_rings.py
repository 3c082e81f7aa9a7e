# test: passes run=select_instructions,schedule_pipelines
# Buffers that are released earlier have a separate ring; those loaded before the loop have one slot.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 256]), B: tensor(f16, [64, 256])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        q = shared(f16, [64, 64])
        s = shared(f16, [64, 64])
        t = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        d = fragment(f32, [64, 64])
        copy(A[0:64, 0:64], q)
        for k in pipelined(4, stages=2):
            copy(A[0:64, k * 64:k * 64 + 64], s)
            gemm(q, s, c, tB=True, clear=True)
            copy(B[0:64, k * 64:k * 64 + 64], t)
            gemm(q, t, d, tB=True, clear=False)
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 256]), B: tensor(f16, [64, 256])):
#>     A_map = tensor_map(A, dims=[256, 64], strides=[512], box=[64, 64], swz=(16, 128, 7))
#>     B_map = tensor_map(B, dims=[256, 64], strides=[512], box=[64, 64], swz=(16, 128, 7))
#>     with kernel("k", grid=[1, 1, 1], block=256) as (bx, by, bz):
#>         ring = ring(2, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="group", arrivals=1)
#>         ring_1 = ring(2, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="group", arrivals=1)
#>         ring_2 = ring(1, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="group", arrivals=1)
#>         s = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring)
#>         t = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring_1)
#>         q = shared(f16, [1, 64, 64], lay=[[a(1, 4096)], [a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring_2)
#>         with role("producer", 0, 128):
#>             s_3 = ring_acquire(ring_2)
#>             copy(A[0:64, 0:64], q[s_3], by="engine", map=A_map)
#>             ring_commit(ring_2)
#>             for k in serial(4):
#>                 s_1 = ring_acquire(ring)
#>                 copy(A[0:64, k * 64:k * 64 + 64], s[s_1], by="engine", map=A_map)
#>                 ring_commit(ring)
#>                 s_2 = ring_acquire(ring_1)
#>                 copy(B[0:64, k * 64:k * 64 + 64], t[s_2], by="engine", map=B_map)
#>                 ring_commit(ring_1)
#>         with role("consumer", 128, 256):
#>             c = fragment(f32, [64, 64])
#>             d = fragment(f32, [64, 64])
#>             s_3 = ring_wait(ring_2)
#>             for k in serial(4):
#>                 s_1 = ring_wait(ring)
#>                 gemm(q[s_3], s[s_1], c, tB=True, clear=True, by="wgmma", inst=[64, 64, 16], warps=[4, 1], wait=1)
#>                 s_2 = ring_wait(ring_1)
#>                 gemm(q[s_3], t[s_2], d, tB=True, clear=False, by="wgmma", inst=[64, 64, 16], warps=[4, 1], wait=2)
#>                 mma_wait(1)
#>                 ring_release(ring)
#>                 mma_wait(0)
#>                 ring_release(ring_1)
#>             ring_release(ring_2)
