# test: passes run=select_instructions,schedule_pipelines
# A mask that may replace something runs where it does: of both comparisons, not of values, and not
# where another element is kept.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f(K: tensor(f16, [256, 64]), L: tensor(i32, [4])):
    with kernel("k", grid=[8, 1, 1], block=128) as (bx, by, bz):
        k = shared(f16, [64, 64])
        s = fragment(f32, [64, 64])
        for j in pipelined(4, stages=2):
            copy(K[j * 64:j * 64 + 64, 0:64], k)
            gemm(k, k, s, tB=True, clear=True)
            for a, b in parallel(64, 64):
                s[a, b] = s[a, b] if bx * 64 + a >= j * 64 + b and j * 64 + b < 200 else -1.0
            for a, b in parallel(64, 64):
                row = bx * 64 + a
                seen = row >= j * 64 + b
                s[a, b] = s[a, b] if seen else -1.0
            for a, b in parallel(64, 64):
                s[a, b] = s[a, b] if s[a, b] > 0.0 else -1.0
            for a, b in parallel(64, 64):
                s[a, b] = s[a, b] if j * 64 + b < L[0] else -1.0
            for a, b in parallel(64, 32):
                s[a, b] = s[a, b + 32] if a > b + j else -1.0
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(K: tensor(f16, [256, 64]), L: tensor(i32, [4])):
#>     K_map = tensor_map(K, dims=[64, 256], strides=[128], box=[64, 64], swz=(16, 128, 7))
#>     with kernel("k", grid=[8, 1, 1], block=256) as (bx, by, bz):
#>         ring = ring(2, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="group", arrivals=1)
#>         k = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring)
#>         with role("producer", 0, 128):
#>             for j in serial(4):
#>                 s_1 = ring_acquire(ring)
#>                 copy(K[j * 64:j * 64 + 64], k[s_1], by="engine", map=K_map)
#>                 ring_commit(ring)
#>         with role("consumer", 128, 256):
#>             s = fragment(f32, [64, 64])
#>             for j in serial(4):
#>                 s_1 = ring_wait(ring)
#>                 gemm(k[s_1], k[s_1], s, tB=True, clear=True, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
#>                 ring_release(ring)
#>                 if bx * 64 + 0 < j * 64 + 63 or j * 64 + 63 >= 200:
#>                     for a, b in parallel(64, 64):
#>                         s[a, b] = s[a, b] if bx * 64 + a >= j * 64 + b and j * 64 + b < 200 else -1.0
#>                 if bx * 64 + 0 < j * 64 + 63:
#>                     for a, b in parallel(64, 64):
#>                         row = bx * 64 + a
#>                         seen = row >= j * 64 + b
#>                         s[a, b] = s[a, b] if seen else -1.0
#>                 for a, b in parallel(64, 64):
#>                     s[a, b] = s[a, b] if s[a, b] > 0.0 else -1.0
#>                 for a, b in parallel(64, 64):
#>                     s[a, b] = s[a, b] if j * 64 + b < L[0] else -1.0
#>                 for a, b in parallel(64, 32):
#>                     s[a, b] = s[a, b + 32] if a > b + j else -1.0
