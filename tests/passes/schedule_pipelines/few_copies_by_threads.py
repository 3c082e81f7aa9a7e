# test: passes run=select_instructions,schedule_pipelines
# A warp issues 4 copies per lane and iteration, too few for the copy engine.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 256]), n: i32):
    with kernel("k", grid=[1, 1, 1], block=32) as (bx, by, bz):
        s = shared(f16, [16, 64])
        c = fragment(f32, [16, 16])
        for k in pipelined(n, stages=3):
            copy(A[0:16, k * 64:k * 64 + 64], s)
            gemm(s, s, c, tB=True, clear=False)
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 256]), n: i32):
#>     with kernel("k", grid=[1, 1, 1], block=32) as (bx, by, bz):
#>         ring = ring(3, fill="group", bytes=2048, producer="main", consumer="main", unit="warp", arrivals=0)
#>         s = shared(f16, [3, 16, 64], lay=[[a(3, 1024)], [a(16, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring)
#>         c = fragment(f32, [16, 16])
#>         for p in unroll(2):
#>             w = ring_acquire(ring)
#>             if p < n:
#>                 copy(A[0:16, p * 64:p * 64 + 64], s[w], by="async")
#>             ring_commit(ring)
#>         for k in serial(n):
#>             s_1 = ring_wait(ring)
#>             w = ring_acquire(ring)
#>             if k + 2 < n:
#>                 copy(A[0:16, (k + 2) * 64:(k + 2) * 64 + 64], s[w], by="async")
#>             ring_commit(ring)
#>             gemm(s[s_1], s[s_1], c, tB=True, clear=False, by="mma", inst=[16, 8, 16], warps=[1, 1])
#>             ring_release(ring)
