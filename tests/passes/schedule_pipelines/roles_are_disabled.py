# test: passes run=select_instructions,schedule_pipelines
# Copies in groups where roles are disabled by the pass configuration.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True, "tl.disable_warp_specialized": True})
def f(A: tensor(f16, [64, 256])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        for k in pipelined(4, stages=2):
            copy(A[0:64, k * 64:k * 64 + 64], s)
            gemm(s, s, c, tB=True, clear=False)
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True, "tl.disable_warp_specialized": True})
#> def f(A: tensor(f16, [64, 256])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         ring = ring(2, fill="group", bytes=8192, producer="main", consumer="main", unit="warp", arrivals=0)
#>         s = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring)
#>         c = fragment(f32, [64, 64])
#>         for p in unroll(1):
#>             w = ring_acquire(ring)
#>             copy(A[0:64, p * 64:p * 64 + 64], s[w], by="async")
#>             ring_commit(ring)
#>         for k in serial(4):
#>             s_1 = ring_wait(ring)
#>             gemm(s[s_1], s[s_1], c, tB=True, clear=False, by="wgmma", inst=[64, 64, 16], warps=[4, 1], wait=1)
#>             if 0 < k:
#>                 ring_release(ring)
#>             w = ring_acquire(ring)
#>             if k + 1 < 4:
#>                 copy(A[0:64, (k + 1) * 64:(k + 1) * 64 + 64], s[w], by="async")
#>             ring_commit(ring)
#>         mma_wait(0)
#>         ring_release(ring)
