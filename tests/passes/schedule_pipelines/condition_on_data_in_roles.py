# test: passes run=schedule_pipelines
# Both roles evaluate the condition of an iteration, so its ring keeps its stages.
ir(1, level="tile", target="mp_31", after="select_instructions", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 256]), M: tensor(i32, [4])):
    A_map = tensor_map(A, dims=[256, 64], strides=[512])
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        for k in pipelined(4, stages=3):
            if M[k] > 0:
                copy(A[0:64, k * 64:k * 64 + 64], s, by="engine", map=A_map)
                gemm(s, s, c, tB=True, clear=False, by="fma")
#> ir(1, level="tile", target="mp_31", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 256]), M: tensor(i32, [4])):
#>     A_map = tensor_map(A, dims=[256, 64], strides=[512])
#>     with kernel("k", grid=[1, 1, 1], block=256) as (bx, by, bz):
#>         ring = ring(3, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="warp", arrivals=4)
#>         s = shared(f16, [3, 64, 64], lay=[[a(3, 4096)], [a(64, 64)], [a(64, 1)]], ring=ring)
#>         with role("producer", 128, 256):
#>             for k in serial(4):
#>                 if M[k] > 0:
#>                     s_1 = ring_acquire(ring)
#>                     copy(A[0:64, k * 64:k * 64 + 64], s[s_1], by="engine", map=A_map)
#>                     ring_commit(ring)
#>         with role("consumer", 0, 128):
#>             c = fragment(f32, [64, 64])
#>             for k in serial(4):
#>                 if M[k] > 0:
#>                     s_1 = ring_wait(ring)
#>                     gemm(s[s_1], s[s_1], c, tB=True, clear=False, by="fma")
#>                     ring_release(ring)
