# test: passes run=schedule_pipelines
# A variable that is final before the loop: the producer computes it, too.
ir(1, level="tile", target="mp_31", after="select_instructions", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 256]), M: tensor(i32, [4])):
    A_map = tensor_map(A, dims=[256, 64], strides=[512])
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        base = var(i32, 0)
        unused = var(i32, 1)
        for w in serial(4):
            base = maximum(base, M[w])
        if base > 2:
            base = 0
        for k in pipelined(2, stages=2):
            copy(A[0:64, (base + k) * 64:(base + k) * 64 + 64], s, by="engine", map=A_map)
            gemm(s, s, c, tB=True, clear=False, by="fma")
#> ir(1, level="tile", target="mp_31", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 256]), M: tensor(i32, [4])):
#>     A_map = tensor_map(A, dims=[256, 64], strides=[512])
#>     with kernel("k", grid=[1, 1, 1], block=256) as (bx, by, bz):
#>         ring = ring(2, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="warp", arrivals=4)
#>         s = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], ring=ring)
#>         with role("producer", 128, 256):
#>             base = var(i32, 0)
#>             for w in serial(4):
#>                 base = maximum(base, M[w])
#>             if base > 2:
#>                 base = 0
#>             for k in serial(2):
#>                 s_1 = ring_acquire(ring)
#>                 copy(A[0:64, (base + k) * 64:(base + k) * 64 + 64], s[s_1], by="engine", map=A_map)
#>                 ring_commit(ring)
#>         with role("consumer", 0, 128):
#>             c = fragment(f32, [64, 64])
#>             base = var(i32, 0)
#>             unused = var(i32, 1)
#>             for w in serial(4):
#>                 base = maximum(base, M[w])
#>             if base > 2:
#>                 base = 0
#>             for k in serial(2):
#>                 s_1 = ring_wait(ring)
#>                 gemm(s[s_1], s[s_1], c, tB=True, clear=False, by="fma")
#>                 ring_release(ring)
