# test: passes run=schedule_pipelines
# What fills b and what follows the matmul assign one variable: its last value is that of the second, so that neither moves.
ir(1, level="tile", target="sm_90a", after="select_instructions", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 256]), B: tensor(i8, [256, 64]), L: tensor(i32, [1])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f16, [64, 64])
        codes = shared(i8, [64, 64])
        b = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        last = var(i32, 0)
        fill(c, 0.0)
        for k in pipelined(4, stages=2):
            copy(A[0:64, k * 64:k * 64 + 64], a, by="engine")
            copy(B[k * 64:k * 64 + 64, 0:64], codes, by="engine")
            last = k
            for i, j in parallel(64, 64):
                b[i, j] = f16(codes[i, j])
            gemm(a, b, c, clear=False, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
            last = k + 10
        L[0] = last
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 256]), B: tensor(i8, [256, 64]), L: tensor(i32, [1])):
#>     with kernel("k", grid=[1, 1, 1], block=256) as (bx, by, bz):
#>         ring = ring(2, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="group", arrivals=1)
#>         ring_1 = ring(2, fill="tx", bytes=4096, producer="producer", consumer="consumer", unit="warp", arrivals=4)
#>         a = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], ring=ring)
#>         codes = shared(i8, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], ring=ring_1)
#>         b = shared(f16, [64, 64])
#>         with role("producer", 0, 128):
#>             for k in serial(4):
#>                 s = ring_acquire(ring)
#>                 copy(A[0:64, k * 64:k * 64 + 64], a[s], by="engine")
#>                 ring_commit(ring)
#>                 s_1 = ring_acquire(ring_1)
#>                 copy(B[k * 64:k * 64 + 64], codes[s_1], by="engine")
#>                 ring_commit(ring_1)
#>         with role("consumer", 128, 256):
#>             c = fragment(f32, [64, 64])
#>             last = var(i32, 0)
#>             fill(c, 0.0)
#>             for k in serial(4):
#>                 last = k
#>                 s_1 = ring_wait(ring_1)
#>                 for i, j in parallel(64, 64):
#>                     b[i, j] = f16(codes[s_1, i, j])
#>                 s = ring_wait(ring)
#>                 gemm(a[s], b, c, clear=False, by="wgmma", inst=[64, 64, 16], warps=[4, 1], wait=1)
#>                 ring_release(ring_1)
#>                 last = k + 10
#>                 mma_wait(0)
#>                 ring_release(ring)
#>             L[0] = last
