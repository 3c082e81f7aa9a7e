# test: passes run=select_instructions,schedule_pipelines
# The next iteration waits for the only matmul. The slot of the surrounding loop is released after the last one.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [256, 64]), B: tensor(f16, [512, 64]), C: tensor(f32, [256, 64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f16, [64, 64])
        b = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        for t in serial(4):
            copy(A[t * 64:t * 64 + 64, 0:64], a)
            fill(c, 0.0)
            for k in pipelined(8, stages=4):
                copy(B[k * 64:k * 64 + 64, 0:64], b)
                gemm(a, b, c, tB=True, clear=False)
            copy(c, C[t * 64:t * 64 + 64, 0:64])
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [256, 64]), B: tensor(f16, [512, 64]), C: tensor(f32, [256, 64])):
#>     A_map = tensor_map(A, dims=[64, 256], strides=[128], box=[64, 64], swz=(16, 128, 7))
#>     B_map = tensor_map(B, dims=[64, 512], strides=[128], box=[64, 64], swz=(16, 128, 7))
#>     with kernel("k", grid=[1, 1, 1], block=256) as (bx, by, bz):
#>         ring = ring(4, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="group", arrivals=1)
#>         ring_1 = ring(2, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="group", arrivals=1)
#>         b = shared(f16, [4, 64, 64], lay=[[a(4, 4096)], [a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring)
#>         a = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring_1)
#>         with role("producer", 0, 128):
#>             for t in serial(4):
#>                 s_1 = ring_acquire(ring_1)
#>                 copy(A[t * 64:t * 64 + 64], a[s_1], by="engine", map=A_map)
#>                 ring_commit(ring_1)
#>                 for k in serial(8):
#>                     s = ring_acquire(ring)
#>                     copy(B[k * 64:k * 64 + 64], b[s], by="engine", map=B_map)
#>                     ring_commit(ring)
#>         with role("consumer", 128, 256):
#>             c = fragment(f32, [64, 64])
#>             for t in serial(4):
#>                 fill(c, 0.0)
#>                 s_1 = ring_wait(ring_1)
#>                 for k in serial(8):
#>                     s = ring_wait(ring)
#>                     gemm(a[s_1], b[s], c, tB=True, clear=False, by="wgmma", inst=[64, 64, 16], warps=[4, 1], wait=1)
#>                     if 0 < k:
#>                         ring_release(ring)
#>                 mma_wait(0)
#>                 ring_release(ring)
#>                 ring_release(ring_1)
#>                 copy(c, C[t * 64:t * 64 + 64], by="simt")
