# test: passes run=schedule_pipelines
# Row numbers that the iteration reads into a fragment: the gather reads them from the tensor, an iteration earlier.
ir(1, level="tile", target="sm_80", after="select_instructions", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [1024, 64]), I: tensor(i32, [256])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = shared(f16, [64, 64])
        r = shared(f16, [64, 64])
        n = fragment(i32, [64])
        m = shared(i32, [64])
        c = fragment(f32, [64, 64])
        for k in pipelined(4, stages=2):
            for i in parallel(64):
                n[i] = I[k * 64 + i]
            for i, j in parallel(64, 64):
                s[i, j] = A[n[i], j] if n[i] >= 0 else 0.0
            copy(I[k * 64:k * 64 + 64], m, by="simt")
            for i, j in parallel(64, 64):
                r[i, j] = A[m[i], j]
            gemm(s, r, c, tB=True, clear=False, by="fma")
#> ir(1, level="tile", target="sm_80", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [1024, 64]), I: tensor(i32, [256])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         ring = ring(2, fill="group", bytes=16640, producer="main", consumer="main", unit="warp", arrivals=0)
#>         s = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], ring=ring)
#>         m = shared(i32, [2, 64], lay=[[a(2, 64)], [a(64, 1)]], ring=ring)
#>         r = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], ring=ring)
#>         n = fragment(i32, [64])
#>         c = fragment(f32, [64, 64])
#>         for p in unroll(1):
#>             w = ring_acquire(ring)
#>             for i, j in parallel(64, 64, by="async"):
#>                 s[w, i, j] = A[I[p * 64 + i], j] if I[p * 64 + i] >= 0 else 0.0
#>             copy(I[p * 64:p * 64 + 64], m[w], by="simt")
#>             for i, j in parallel(64, 64, by="async"):
#>                 r[w, i, j] = A[I[p * 64 + i], j]
#>             ring_commit(ring)
#>         for k in serial(4):
#>             w = ring_acquire(ring)
#>             if k + 1 < 4:
#>                 for i, j in parallel(64, 64, by="async"):
#>                     s[w, i, j] = A[I[(k + 1) * 64 + i], j] if I[(k + 1) * 64 + i] >= 0 else 0.0
#>                 copy(I[(k + 1) * 64:(k + 1) * 64 + 64], m[w], by="simt")
#>                 for i, j in parallel(64, 64, by="async"):
#>                     r[w, i, j] = A[I[(k + 1) * 64 + i], j]
#>             ring_commit(ring)
#>             s_1 = ring_wait(ring)
#>             for i in parallel(64):
#>                 n[i] = I[k * 64 + i]
#>             gemm(s[s_1], r[s_1], c, tB=True, clear=False, by="fma")
#>             ring_release(ring)
