# test: passes run=schedule_pipelines
# A variable of the iteration: its value is computed again where an earlier iteration issues the copy.
ir(1, level="tile", target="sm_80", after="select_instructions", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 256]), M: tensor(i32, [4])):
    with kernel("k", grid=[1, 1, 1], block=64) as (bx, by, bz):
        s = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        m = local(i32, [4])
        on = var(i32, 0)
        for i in serial(4):
            m[i] = M[i]
        for k in pipelined(4, stages=2):
            on = m[k] - 1
            if on > 0:
                copy(A[0:64, k * 64:k * 64 + 64], s, by="async")
                gemm(s, s, c, tB=True, clear=False, by="fma")
#> ir(1, level="tile", target="sm_80", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 256]), M: tensor(i32, [4])):
#>     with kernel("k", grid=[1, 1, 1], block=64) as (bx, by, bz):
#>         ring = ring(2, fill="group", bytes=8192, producer="main", consumer="main", unit="warp", arrivals=0)
#>         s = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], ring=ring)
#>         c = fragment(f32, [64, 64])
#>         m = local(i32, [4])
#>         on = var(i32, 0)
#>         for i in serial(4):
#>             m[i] = M[i]
#>         for p in unroll(1):
#>             w = ring_acquire(ring)
#>             if M[p] - 1 > 0:
#>                 copy(A[0:64, p * 64:p * 64 + 64], s[w], by="async")
#>             ring_commit(ring)
#>         for k in serial(4):
#>             w = ring_acquire(ring)
#>             if k + 1 < 4:
#>                 if M[k + 1] - 1 > 0:
#>                     copy(A[0:64, (k + 1) * 64:(k + 1) * 64 + 64], s[w], by="async")
#>             ring_commit(ring)
#>             s_1 = ring_wait(ring)
#>             on = m[k] - 1
#>             if M[k] - 1 > 0:
#>                 gemm(s[s_1], s[s_1], c, tB=True, clear=False, by="fma")
#>             ring_release(ring)
