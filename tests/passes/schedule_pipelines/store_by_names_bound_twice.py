# test: passes run=select_instructions,schedule_pipelines
# `column` is a multiple of 64 in either scope, so that the box starts at a multiple of 16 bytes.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [128, 256]), C: tensor(f16, [128, 512])):
    with kernel("k", grid=[4, 1, 1], block=256) as (bx, by, bz):
        s = shared(f16, [128, 64])
        c = fragment(f32, [128, 128])
        for k in pipelined(4, stages=2):
            column = k * 64
            copy(A[0:128, column:column + 64], s)
            gemm(s, s, c, tB=True, clear=False)
        column = bx * 128
        copy(c, C[0:128, column:column + 128])
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [128, 256]), C: tensor(f16, [128, 512])):
#>     A_map = tensor_map(A, dims=[256, 128], strides=[512], box=[64, 128], swz=(16, 128, 7))
#>     C_map = tensor_map(C, dims=[512, 128], strides=[1024], box=[64, 64], swz=(16, 128, 7))
#>     with kernel("k", grid=[4, 1, 1], block=384) as (bx, by, bz):
#>         ring = ring(2, fill="tx", bytes=16384, producer="producer", consumer="consumer", unit="group", arrivals=2)
#>         out = ring(2, fill="store", bytes=16384, producer="consumer", consumer="consumer", unit="group", arrivals=2)
#>         s = shared(f16, [2, 128, 64], lay=[[a(2, 8192)], [a(128, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring)
#>         C_out = shared(f16, [2, 128, 64], lay=[[a(2, 8192)], [a(128, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=out)
#>         with role("producer", 0, 128, regs=56):
#>             for k in serial(4):
#>                 column = k * 64
#>                 s_1 = ring_acquire(ring)
#>                 copy(A[0:128, column:column + 64], s[s_1], by="engine", map=A_map)
#>                 ring_commit(ring)
#>         with role("consumer", 128, 384, regs=224):
#>             c = fragment(f32, [128, 128])
#>             for k in serial(4):
#>                 column = k * 64
#>                 s_1 = ring_wait(ring)
#>                 gemm(s[s_1], s[s_1], c, tB=True, clear=False, by="wgmma", inst=[64, 128, 16], warps=[8, 1])
#>                 ring_release(ring)
#>             column = bx * 128
#>             for c_1 in unroll(2):
#>                 w = ring_acquire(out)
#>                 copy(c[0:128, c_1 * 64:c_1 * 64 + 64], C_out[w], by="simt")
#>                 ring_commit(out)
#>                 e = ring_wait(out)
#>                 copy(C_out[e], C[0:128, column + c_1 * 64:column + c_1 * 64 + 64], by="engine", map=C_map)
#>                 ring_release(out)
