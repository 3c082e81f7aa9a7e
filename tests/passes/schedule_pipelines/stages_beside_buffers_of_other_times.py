# test: passes run=schedule_pipelines
# Buffers that are used only before and after the loop share memory: two stages fit beside them.
ir(1, level="tile", target="sm_80", after="select_instructions", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [128, 512]), B: tensor(f32, [128, 128])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        first = shared(f32, [128, 128])
        s = shared(f16, [128, 128])
        last = shared(f32, [128, 128])
        c = fragment(f32, [128, 128])
        copy(B, first, by="simt")
        copy(first, c, by="simt")
        for k in pipelined(4, stages=2):
            copy(A[0:128, k * 128:k * 128 + 128], s, by="async")
            gemm(s, s, c, tB=True, clear=False, by="fma")
        copy(c, last, by="simt")
        copy(last, B, by="simt")
#> ir(1, level="tile", target="sm_80", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [128, 512]), B: tensor(f32, [128, 128])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         ring = ring(2, fill="group", bytes=32768, producer="main", consumer="main", unit="warp", arrivals=0)
#>         s = shared(f16, [2, 128, 128], lay=[[a(2, 16384)], [a(128, 128)], [a(128, 1)]], ring=ring)
#>         first = shared(f32, [128, 128])
#>         last = shared(f32, [128, 128])
#>         c = fragment(f32, [128, 128])
#>         copy(B, first, by="simt")
#>         copy(first, c, by="simt")
#>         for p in unroll(1):
#>             w = ring_acquire(ring)
#>             copy(A[0:128, p * 128:p * 128 + 128], s[w], by="async")
#>             ring_commit(ring)
#>         for k in serial(4):
#>             w = ring_acquire(ring)
#>             if k + 1 < 4:
#>                 copy(A[0:128, (k + 1) * 128:(k + 1) * 128 + 128], s[w], by="async")
#>             ring_commit(ring)
#>             s_1 = ring_wait(ring)
#>             gemm(s[s_1], s[s_1], c, tB=True, clear=False, by="fma")
#>             ring_release(ring)
#>         copy(c, last, by="simt")
#>         copy(last, B, by="simt")
