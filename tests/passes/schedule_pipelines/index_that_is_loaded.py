# test: passes run=select_instructions,schedule_pipelines
# The tensor with the copy's index is never written, so any iteration and role can read it; likewise the iteration count.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 256]), I: tensor(i32, [4])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        n = I[0]
        for k in pipelined(n, stages=2):
            at = I[k]
            copy(A[0:64, at * 64:at * 64 + 64], s)
            gemm(s, s, c, tB=True, clear=False)
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 256]), I: tensor(i32, [4])):
#>     A_map = tensor_map(A, dims=[256, 64], strides=[512], box=[64, 64], swz=(16, 128, 7))
#>     with kernel("k", grid=[1, 1, 1], block=256) as (bx, by, bz):
#>         ring = ring(2, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="group", arrivals=1)
#>         s = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring)
#>         with role("producer", 0, 128):
#>             n = I[0]
#>             for k in serial(n):
#>                 at = I[k]
#>                 s_1 = ring_acquire(ring)
#>                 copy(A[0:64, at * 64:at * 64 + 64], s[s_1], by="engine", map=A_map)
#>                 ring_commit(ring)
#>         with role("consumer", 128, 256):
#>             c = fragment(f32, [64, 64])
#>             n = I[0]
#>             for k in serial(n):
#>                 at = I[k]
#>                 s_1 = ring_wait(ring)
#>                 gemm(s[s_1], s[s_1], c, tB=True, clear=False, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
#>                 ring_release(ring)
