# test: passes run=schedule_pipelines
# An iteration that a condition skips fills no slot and uses none; its groups of copies are empty.
ir(1, level="tile", target="sm_80", after="select_instructions", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 256]), M: tensor(i32, [4])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        for k in pipelined(4, stages=3):
            on = M[k]
            if on > 0:
                copy(A[0:64, k * 64:k * 64 + 64], s, by="async")
                gemm(s, s, c, tB=True, clear=False, by="fma")
#> ir(1, level="tile", target="sm_80", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 256]), M: tensor(i32, [4])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         ring = ring(3, fill="group", bytes=8192, producer="main", consumer="main", unit="warp", arrivals=0)
#>         s = shared(f16, [3, 64, 64], lay=[[a(3, 4096)], [a(64, 64)], [a(64, 1)]], ring=ring)
#>         c = fragment(f32, [64, 64])
#>         for p in unroll(2):
#>             w = ring_acquire(ring)
#>             if M[p] > 0:
#>                 copy(A[0:64, p * 64:p * 64 + 64], s[w], by="async")
#>             ring_commit(ring)
#>         for k in serial(4):
#>             s_1 = ring_wait(ring)
#>             w = ring_acquire(ring)
#>             if k + 2 < 4:
#>                 if M[k + 2] > 0:
#>                     copy(A[0:64, (k + 2) * 64:(k + 2) * 64 + 64], s[w], by="async")
#>             ring_commit(ring)
#>             on = M[k]
#>             if on > 0:
#>                 gemm(s[s_1], s[s_1], c, tB=True, clear=False, by="fma")
#>             ring_release(ring)
