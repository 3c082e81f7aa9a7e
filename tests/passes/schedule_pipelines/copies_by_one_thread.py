# test: passes run=select_instructions,schedule_pipelines
# A warp would issue 8 copies per lane and iteration: one thread issues two boxes instead. A slot is
# acquired only for an iteration that exists.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 256]), n: i32):
    with kernel("k", grid=[1, 1, 1], block=32) as (bx, by, bz):
        s = shared(f16, [32, 64])
        c = fragment(f32, [32, 32])
        for k in pipelined(n, stages=3):
            copy(A[0:32, k * 64:k * 64 + 64], s)
            gemm(s, s, c, tB=True, clear=False)
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 256]), n: i32):
#>     A_map = tensor_map(A, dims=[256, 64], strides=[512], box=[64, 32], swz=(16, 128, 7))
#>     with kernel("k", grid=[1, 1, 1], block=32) as (bx, by, bz):
#>         ring = ring(3, fill="tx", bytes=4096, producer="main", consumer="main", unit="warp", arrivals=1)
#>         s = shared(f16, [3, 32, 64], lay=[[a(3, 2048)], [a(32, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring)
#>         c = fragment(f32, [32, 32])
#>         for p in unroll(2):
#>             if p < n:
#>                 w = ring_acquire(ring)
#>                 copy(A[0:32, p * 64:p * 64 + 64], s[w], by="engine", map=A_map)
#>                 ring_commit(ring)
#>         for k in serial(n):
#>             s_1 = ring_wait(ring)
#>             if k + 2 < n:
#>                 w = ring_acquire(ring)
#>                 copy(A[0:32, (k + 2) * 64:(k + 2) * 64 + 64], s[w], by="engine", map=A_map)
#>                 ring_commit(ring)
#>             gemm(s[s_1], s[s_1], c, tB=True, clear=False, by="mma", inst=[16, 8, 16], warps=[1, 1])
#>             ring_release(ring)
