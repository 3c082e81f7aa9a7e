# test: passes run=schedule_pipelines
# Explicit ldmatrix reads a row of the slot, as an element of it: the copy is prefetched.
ir(1, level="tile", target="sm_80", after="select_instructions")
def f(A: tensor(f16, [16, 256]), C: tensor(f32, [32, 4])):
    with kernel("k", grid=[1, 1, 1], block=32) as bx:
        s = shared(f16, [16, 16])
        a = local(f16, [8])
        b = local(f16, [4])
        c = local(f32, [4])
        for k in pipelined(16, stages=2):
            copy(A[0:16, k * 16:k * 16 + 16], s[0:16, 0:16], by="async")
            ldmatrix(a[0:8], s[tid % 16, tid // 16 * 8:tid // 16 * 8 + 8])
            mma(c[0:4], a[0:8], b[0:4], shape="m16n8k16")
        for r in serial(4):
            C[tid, r] = c[r]
#> ir(1, level="tile", target="sm_80", after="schedule_pipelines")
#> def f(A: tensor(f16, [16, 256]), C: tensor(f32, [32, 4])):
#>     with kernel("k", grid=[1, 1, 1], block=32) as bx:
#>         ring = ring(2, fill="group", bytes=512, producer="main", consumer="main", unit="warp", arrivals=0)
#>         s = shared(f16, [2, 16, 16], lay=[[a(2, 256)], [a(16, 16)], [a(16, 1)]], ring=ring)
#>         a = local(f16, [8])
#>         b = local(f16, [4])
#>         c = local(f32, [4])
#>         for p in unroll(1):
#>             w = ring_acquire(ring)
#>             copy(A[0:16, p * 16:p * 16 + 16], s[w], by="async")
#>             ring_commit(ring)
#>         for k in serial(16):
#>             w = ring_acquire(ring)
#>             if k + 1 < 16:
#>                 copy(A[0:16, (k + 1) * 16:(k + 1) * 16 + 16], s[w], by="async")
#>             ring_commit(ring)
#>             s_1 = ring_wait(ring)
#>             ldmatrix(a[0:8], s[s_1, tid % 16, tid // 16 * 8:tid // 16 * 8 + 8])
#>             mma(c[0:4], a[0:8], b[0:4], shape="m16n8k16")
#>             ring_release(ring)
#>         for r in serial(4):
#>             C[tid, r] = c[r]
