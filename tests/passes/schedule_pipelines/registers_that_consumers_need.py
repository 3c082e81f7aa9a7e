# test: passes run=select_instructions,schedule_pipelines
# Fragments of 232 registers of a thread: the producer keeps the fewest.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [128, 256]), B: tensor(f32, [128, 512])):
    with kernel("k", grid=[1, 1, 1], block=256) as (bx, by, bz):
        s = shared(f16, [128, 64])
        t = shared(f16, [192, 64])
        c = fragment(f32, [128, 256])
        d = fragment(f32, [128, 192])
        for k in pipelined(4, stages=2):
            copy(A[0:128, k * 64:k * 64 + 64], s)
            gemm(s, t, d, tB=True, clear=False)
        copy(c, B[0:128, 0:256])
        copy(d, B[0:128, 256:448])
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [128, 256]), B: tensor(f32, [128, 512])):
#>     A_map = tensor_map(A, dims=[256, 128], strides=[512], box=[64, 128], swz=(16, 128, 7))
#>     with kernel("k", grid=[1, 1, 1], block=384) as (bx, by, bz):
#>         ring = ring(2, fill="tx", bytes=16384, producer="producer", consumer="consumer", unit="group", arrivals=2)
#>         s = shared(f16, [2, 128, 64], lay=[[a(2, 8192)], [a(128, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring)
#>         t = shared(f16, [192, 64], lay=[[a(192, 64)], [a(64, 1)]], swz=(16, 128, 7))
#>         with role("producer", 0, 128, regs=24):
#>             for k in serial(4):
#>                 s_1 = ring_acquire(ring)
#>                 copy(A[0:128, k * 64:k * 64 + 64], s[s_1], by="engine", map=A_map)
#>                 ring_commit(ring)
#>         with role("consumer", 128, 384, regs=240):
#>             c = fragment(f32, [128, 256])
#>             d = fragment(f32, [128, 192])
#>             for k in serial(4):
#>                 s_1 = ring_wait(ring)
#>                 gemm(s[s_1], t, d, tB=True, clear=False, by="wgmma", inst=[64, 192, 16], warps=[8, 1])
#>                 ring_release(ring)
#>             copy(c, B[0:128, 0:256], by="simt")
#>             copy(d, B[0:128, 256:448], by="simt")
