# test: passes run=schedule_pipelines
# Rows that threads load and modify in each iteration: several resident blocks hide the latency, roles would allow only one.
ir(1, level="tile", target="sm_90a", after="select_instructions")
def f(A: tensor(f16, [1024, 256]), I: tensor(i32, [1024]), B: tensor(f16, [256, 128]), C: tensor(f16, [1024, 128])):
    check_tensor(A, align=16)
    check_tensor(I, align=16)
    check_tensor(B, align=16)
    check_tensor(C, align=16, write=True)
    B_map = tensor_map(B, dims=[128, 256], strides=[256], box=[64, 32], swz=(16, 128, 7))
    with kernel("f_k0", grid=[16, 1, 1], block=128) as (bx, by, bz):
        a = shared(f16, [64, 32], lay=[[a(64, 32)], [a(32, 1)]], swz=(16, 128, 3))
        b = shared(f16, [32, 128], lay=[[a(32, 64)], [a(2, 2048), a(64, 1)]], swz=(16, 128, 7))
        c = fragment(f32, [64, 128])
        fill(c, 0.0)
        for k in pipelined(8, stages=3):
            for i, j in parallel(64, 32):
                a[i, j] = A[I[bx * 64 + i], k * 32 + j] * 2.0
            copy(B[k * 32:k * 32 + 32], b, by="engine", map=B_map)
            gemm(a, b, c, clear=False, by="wgmma", inst=[64, 128, 16], warps=[4, 1])
        copy(c, C[bx * 64:bx * 64 + 64], by="simt")
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines")
#> def f(A: tensor(f16, [1024, 256]), I: tensor(i32, [1024]), B: tensor(f16, [256, 128]), C: tensor(f16, [1024, 128])):
#>     check_tensor(A, align=16)
#>     check_tensor(I, align=16)
#>     check_tensor(B, align=16)
#>     check_tensor(C, align=16, write=True)
#>     with kernel("f_k0", grid=[16, 1, 1], block=128) as (bx, by, bz):
#>         c_rows = shared(f16, [64, 128], lay=[[a(64, 64)], [a(2, 4096), a(64, 1)]], swz=(16, 128, 7))
#>         ring = ring(3, fill="group", bytes=8192, producer="main", consumer="main", unit="warp", arrivals=0)
#>         b = shared(f16, [3, 32, 128], lay=[[a(3, 4096)], [a(32, 64)], [a(2, 2048), a(64, 1)]], swz=(16, 128, 7), ring=ring)
#>         a = shared(f16, [64, 32], lay=[[a(64, 32)], [a(32, 1)]], swz=(16, 128, 3))
#>         c = fragment(f32, [64, 128])
#>         fill(c, 0.0)
#>         for p in unroll(2):
#>             w = ring_acquire(ring)
#>             copy(B[p * 32:p * 32 + 32], b[w], by="async")
#>             ring_commit(ring)
#>         for k in serial(8):
#>             s = ring_wait(ring)
#>             w = ring_acquire(ring)
#>             if k + 2 < 8:
#>                 copy(B[(k + 2) * 32:(k + 2) * 32 + 32], b[w], by="async")
#>             ring_commit(ring)
#>             for i, j in parallel(64, 32):
#>                 a[i, j] = A[I[bx * 64 + i], k * 32 + j] * 2.0
#>             gemm(a, b[s], c, clear=False, by="wgmma", inst=[64, 128, 16], warps=[4, 1])
#>             ring_release(ring)
#>         copy(c, c_rows, by="simt")
#>         copy(c_rows, C[bx * 64:bx * 64 + 64], by="simt")
