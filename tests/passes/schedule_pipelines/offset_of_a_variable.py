# test: passes run=schedule_pipelines
# A name of a variable's value before the loop: the producer assigns the variable, too, so the name has the value of its place in both
# roles, also where the variable changes after it.
ir(1, level="tile", target="sm_90a", after="select_instructions", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [256, 256]), M: tensor(i32, [4]), C: tensor(f32, [4, 64, 64])):
    with kernel("k", grid=[4, 1, 1], block=128) as (bx, by, bz):
        s = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        group = var(i32, 0)
        for i in serial(4):
            group = i if M[i] <= bx else group
        row = M[group] + group * 64
        group = 0
        fill(c, 0.0)
        for k in pipelined(4, stages=2):
            copy(A[row:row + 64, k * 64:k * 64 + 64], s, by="engine")
            gemm(s, s, c, tB=True, clear=False, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
        copy(c, C[bx, 0:64, 0:64], by="simt")
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [256, 256]), M: tensor(i32, [4]), C: tensor(f32, [4, 64, 64])):
#>     C_map = tensor_map(C, dims=[64, 64, 4], strides=[256, 16384], box=[32, 64, 1], swz=(16, 128, 7))
#>     with kernel("k", grid=[4, 1, 1], block=256) as (bx, by, bz):
#>         ring = ring(2, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="group", arrivals=1)
#>         out = ring(2, fill="store", bytes=8192, producer="consumer", consumer="consumer", unit="group", arrivals=1)
#>         s = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], ring=ring)
#>         C_out = shared(f32, [2, 64, 32], lay=[[a(2, 2048)], [a(64, 32)], [a(32, 1)]], swz=(16, 128, 7), ring=out)
#>         with role("producer", 0, 128):
#>             group = var(i32, 0)
#>             for i in serial(4):
#>                 group = i if M[i] <= bx else group
#>             row = M[group] + group * 64
#>             for k in serial(4):
#>                 s_1 = ring_acquire(ring)
#>                 copy(A[row:row + 64, k * 64:k * 64 + 64], s[s_1], by="engine")
#>                 ring_commit(ring)
#>         with role("consumer", 128, 256):
#>             c = fragment(f32, [64, 64])
#>             group = var(i32, 0)
#>             for i in serial(4):
#>                 group = i if M[i] <= bx else group
#>             row = M[group] + group * 64
#>             group = 0
#>             fill(c, 0.0)
#>             for k in serial(4):
#>                 s_1 = ring_wait(ring)
#>                 gemm(s[s_1], s[s_1], c, tB=True, clear=False, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
#>                 ring_release(ring)
#>             for c_1 in unroll(2):
#>                 w = ring_acquire(out)
#>                 copy(c[0:64, c_1 * 32:c_1 * 32 + 32], C_out[w], by="simt")
#>                 ring_commit(out)
#>                 e = ring_wait(out)
#>                 copy(C_out[e], C[bx, 0:64, c_1 * 32:c_1 * 32 + 32], by="engine", map=C_map)
#>                 ring_release(out)
