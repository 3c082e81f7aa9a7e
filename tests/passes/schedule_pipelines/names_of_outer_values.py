# test: passes run=schedule_pipelines
# A copy that moves before its loop names values from outside; those of the loop's body are substituted.
ir(1, level="tile", target="sm_80", after="select_instructions", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [4096, 64]), C: tensor(f16, [64, 64]), m: i32):
    check(m > 0, "m")
    with kernel("k", grid=[4, 1, 1], block=128) as (bx, by, bz):
        a = shared(f16, [64, 64])
        row = bx * 64 % m
        for k in pipelined(8, stages=2):
            first = row + k * 64
            for i, j in parallel(64, 64):
                a[i, j] = A[first + i, j]
            for i, j in parallel(64, 64):
                C[i, j] = a[j, i]
#> ir(1, level="tile", target="sm_80", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [4096, 64]), C: tensor(f16, [64, 64]), m: i32):
#>     check(m > 0, "m")
#>     with kernel("k", grid=[4, 1, 1], block=128) as (bx, by, bz):
#>         ring = ring(2, fill="group", bytes=8192, producer="main", consumer="main", unit="warp", arrivals=0)
#>         a = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], ring=ring)
#>         row = bx * 64 % m
#>         for p in unroll(1):
#>             w = ring_acquire(ring)
#>             for i, j in parallel(64, 64, by="async"):
#>                 a[w, i, j] = A[row + p * 64 + i, j]
#>             ring_commit(ring)
#>         for k in serial(8):
#>             w = ring_acquire(ring)
#>             if k + 1 < 8:
#>                 for i, j in parallel(64, 64, by="async"):
#>                     a[w, i, j] = A[row + (k + 1) * 64 + i, j]
#>             ring_commit(ring)
#>             s = ring_wait(ring)
#>             first = row + k * 64
#>             for i, j in parallel(64, 64):
#>                 C[i, j] = a[s, j, i]
#>             ring_release(ring)
