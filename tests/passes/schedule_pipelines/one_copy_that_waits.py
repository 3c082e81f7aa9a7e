# test: passes run=schedule_pipelines
# The rows of one copy depend on the iteration before: it is reported, since its iteration waits for it; the other copy is prefetched.
ir(1, level="tile", target="sm_90a", after="select_instructions", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [256, 256]), M: tensor(i32, [4])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = shared(f16, [64, 64])
        t = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        row = var(i32, 0)
        fill(c, 0.0)
        for k in pipelined(4, stages=2):
            copy(A[row:row + 64, k * 64:k * 64 + 64], s, by="engine")
            copy(A[0:64, k * 64:k * 64 + 64], t, by="engine")
            gemm(s, t, c, tB=True, clear=False, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
            row = M[k]
#> warning[slow-fallback]: T.copy is compiled as loads that each iteration waits for, which is slower
#>   --> one_copy_that_waits.py, line 12
#>  12 |             copy(A[row:row + 64, k * 64:k * 64 + 64], s, by="engine")
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> note: not prefetched: its address is computed by later statements
#> help: copy the whole buffer, at an offset that is known before the iteration
#>
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [256, 256]), M: tensor(i32, [4])):
#>     with kernel("k", grid=[1, 1, 1], block=256) as (bx, by, bz):
#>         ring = ring(2, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="group", arrivals=1)
#>         t = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], ring=ring)
#>         s = shared(f16, [64, 64])
#>         with role("producer", 0, 128):
#>             for k in serial(4):
#>                 s_1 = ring_acquire(ring)
#>                 copy(A[0:64, k * 64:k * 64 + 64], t[s_1], by="engine")
#>                 ring_commit(ring)
#>         with role("consumer", 128, 256):
#>             c = fragment(f32, [64, 64])
#>             row = var(i32, 0)
#>             fill(c, 0.0)
#>             for k in serial(4):
#>                 copy(A[row:row + 64, k * 64:k * 64 + 64], s, by="simt")
#>                 s_1 = ring_wait(ring)
#>                 gemm(s, t[s_1], c, tB=True, clear=False, by="wgmma", inst=[64, 64, 16], warps=[4, 1], wait=1)
#>                 row = M[k]
#>                 mma_wait(0)
#>                 ring_release(ring)
