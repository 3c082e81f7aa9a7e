# test: passes run=select_instructions,schedule_pipelines
# The dimensions of a reduction count from that of the slot on.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [32, 256]), B: tensor(f32, [4, 32])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f16, [32, 64])
        sums = fragment(f32, [32])
        for k in pipelined(4, stages=2):
            copy(A[0:32, k * 64:k * 64 + 64], a)
            reduce(a[0:32, 32:64], sums, dims=[1], op="sum", clear=True)
            reduce(a, sums, dims=[1], op="sum", clear=False)
            copy(sums, B[k, 0:32])
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [32, 256]), B: tensor(f32, [4, 32])):
#>     A_map = tensor_map(A, dims=[256, 32], strides=[512], box=[64, 32])
#>     with kernel("k", grid=[1, 1, 1], block=256) as (bx, by, bz):
#>         ring = ring(2, fill="tx", bytes=4096, producer="producer", consumer="consumer", unit="warp", arrivals=4)
#>         a = shared(f16, [2, 32, 64], lay=[[a(2, 2048)], [a(32, 64)], [a(64, 1)]], ring=ring)
#>         with role("producer", 0, 128):
#>             for k in serial(4):
#>                 s = ring_acquire(ring)
#>                 copy(A[0:32, k * 64:k * 64 + 64], a[s], by="engine", map=A_map)
#>                 ring_commit(ring)
#>         with role("consumer", 128, 256):
#>             sums = fragment(f32, [32])
#>             for k in serial(4):
#>                 s = ring_wait(ring)
#>                 reduce(a[s, 0:32, 32:64], sums, dims=[2], op="sum", clear=True)
#>                 reduce(a[s], sums, dims=[2], op="sum", clear=False)
#>                 ring_release(ring)
#>                 copy(sums, B[k], by="simt")
