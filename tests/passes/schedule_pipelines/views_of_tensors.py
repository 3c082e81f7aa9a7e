# test: passes run=select_instructions,schedule_pipelines
# The map is of the view: its extents, and elements of another size. The roles see the view.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [256, 64]), B: tensor(f16, [16, 16, 128]), C: tensor(f32, [256, 128])):
    with kernel("k", grid=[1, 4, 1], block=128) as (bx, by, bz):
        a = shared(f16, [64, 64])
        b = shared(i32, [64, 64])
        seen = view(b, f16, [64, 128])
        c = fragment(f32, [64, 128])
        fill(c, 0.0)
        for k in pipelined(4, stages=2):
            words = view(B, i32, [256, 64])
            copy(A[by * 64:by * 64 + 64], a)
            copy(words[k * 64:k * 64 + 64], b)
            gemm(a, seen, c, clear=False)
        copy(c, C[by * 64:by * 64 + 64])
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [256, 64]), B: tensor(f16, [16, 16, 128]), C: tensor(f32, [256, 128])):
#>     A_map = tensor_map(A, dims=[64, 256], strides=[128], box=[64, 64], swz=(16, 128, 7))
#>     words_map = tensor_map(B, dims=[64, 256], strides=[256], box=[32, 64], swz=(16, 128, 7), bits=32)
#>     C_map = tensor_map(C, dims=[128, 256], strides=[512], box=[32, 64], swz=(16, 128, 7))
#>     with kernel("k", grid=[1, 4, 1], block=256) as (bx, by, bz):
#>         ring = ring(2, fill="tx", bytes=24576, producer="producer", consumer="consumer", unit="group", arrivals=1)
#>         out = ring(2, fill="store", bytes=8192, producer="consumer", consumer="consumer", unit="group", arrivals=1)
#>         a = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring)
#>         b = shared(i32, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 32)], [a(2, 2048), a(32, 1)]], swz=(16, 128, 7), ring=ring)
#>         seen = view(b, f16, [2, 64, 128])
#>         words = view(B, i32, [256, 64])
#>         C_out = shared(f32, [2, 64, 32], lay=[[a(2, 2048)], [a(64, 32)], [a(32, 1)]], swz=(16, 128, 7), ring=out)
#>         with role("producer", 0, 128):
#>             for k in serial(4):
#>                 s = ring_acquire(ring)
#>                 copy(A[by * 64:by * 64 + 64], a[s], by="engine", map=A_map)
#>                 copy(words[k * 64:k * 64 + 64], b[s], by="engine", map=words_map)
#>                 ring_commit(ring)
#>         with role("consumer", 128, 256):
#>             c = fragment(f32, [64, 128])
#>             fill(c, 0.0)
#>             for k in serial(4):
#>                 s = ring_wait(ring)
#>                 gemm(a[s], seen[s], c, clear=False, by="wgmma", inst=[64, 128, 16], warps=[4, 1])
#>                 ring_release(ring)
#>             for c_1 in unroll(4):
#>                 w = ring_acquire(out)
#>                 copy(c[0:64, c_1 * 32:c_1 * 32 + 32], C_out[w], by="simt")
#>                 ring_commit(out)
#>                 e = ring_wait(out)
#>                 copy(C_out[e], C[by * 64:by * 64 + 64, c_1 * 32:c_1 * 32 + 32], by="engine", map=C_map)
#>                 ring_release(out)
