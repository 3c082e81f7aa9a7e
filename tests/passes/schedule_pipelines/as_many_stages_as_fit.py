# test: passes run=select_instructions,schedule_pipelines
# Eight stages of 32 KB do not fit.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [256, 512])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = shared(f16, [256, 64])
        c = fragment(f32, [256, 64])
        for k in pipelined(8, stages=8):
            copy(A[0:256, k * 64:k * 64 + 64], s)
            for i, j in parallel(256, 64):
                c[i, j] = c[i, j] + f32(s[i, j])
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [256, 512])):
#>     A_map = tensor_map(A, dims=[512, 256], strides=[1024], box=[64, 256])
#>     with kernel("k", grid=[1, 1, 1], block=256) as (bx, by, bz):
#>         ring = ring(7, fill="tx", bytes=32768, producer="producer", consumer="consumer", unit="warp", arrivals=4)
#>         s = shared(f16, [7, 256, 64], lay=[[a(7, 16384)], [a(256, 64)], [a(64, 1)]], ring=ring)
#>         with role("producer", 0, 128):
#>             for k in serial(8):
#>                 s_1 = ring_acquire(ring)
#>                 copy(A[0:256, k * 64:k * 64 + 64], s[s_1], by="engine", map=A_map)
#>                 ring_commit(ring)
#>         with role("consumer", 128, 256):
#>             c = fragment(f32, [256, 64])
#>             for k in serial(8):
#>                 s_1 = ring_wait(ring)
#>                 for i, j in parallel(256, 64):
#>                     c[i, j] = c[i, j] + f32(s[s_1, i, j])
#>                 ring_release(ring)
