# test: passes run=schedule_pipelines
# The mask in a fragment and the offset in shared memory are elements of tensors: both roles read them from there.
ir(1, level="tile", target="sm_90a", after="select_instructions", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 256]), M: tensor(u8, [2, 4]), P: tensor(i32, [4])):
    A_map = tensor_map(A, dims=[256, 64], strides=[512], box=[64, 64])
    with kernel("k", grid=[2, 1, 1], block=128) as (bx, by, bz):
        s = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        on = fragment(u8, [4])
        p = shared(i32, [4])
        copy(M[bx:bx + 1, 0:4], on, by="simt")
        for i in parallel(4):
            p[i] = P[i] * 64
        for k in pipelined(4, stages=2):
            if on[k] != u8(0):
                copy(A[0:64, p[k]:p[k] + 64], s, by="engine", map=A_map)
                gemm(s, s, c, tB=True, clear=False, by="fma")
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 256]), M: tensor(u8, [2, 4]), P: tensor(i32, [4])):
#>     A_map = tensor_map(A, dims=[256, 64], strides=[512], box=[64, 64])
#>     with kernel("k", grid=[2, 1, 1], block=256) as (bx, by, bz):
#>         ring = ring(2, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="warp", arrivals=4)
#>         s = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], ring=ring)
#>         with role("producer", 0, 128):
#>             for k in serial(4):
#>                 if M[bx, k] != 0:
#>                     s_1 = ring_acquire(ring)
#>                     copy(A[0:64, P[k] * 64:P[k] * 64 + 64], s[s_1], by="engine", map=A_map)
#>                     ring_commit(ring)
#>         with role("consumer", 128, 256):
#>             c = fragment(f32, [64, 64])
#>             for k in serial(4):
#>                 if M[bx, k] != 0:
#>                     s_1 = ring_wait(ring)
#>                     gemm(s[s_1], s[s_1], c, tB=True, clear=False, by="fma")
#>                     ring_release(ring)
