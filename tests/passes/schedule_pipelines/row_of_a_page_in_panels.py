# test: passes run=select_instructions,schedule_pipelines
# The producer repeats the names that blocks in panels and pages of rows define, however large their values are with each
# other's.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [4096, 64]), pages: tensor(i32, [8, 16]), lengths: tensor(i32, [8])):
    with kernel("k", grid=[8, 4, 1], block=128, attrs={"panel": 10, "panel_order": "row"}) as (bx, by, bz):
        s = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        n = ceildiv(lengths[bx], 64)
        for r in pipelined(n, stages=2):
            k = n - 1 - r
            row = pages[bx, k * 64 // 64] * 64 + k * 64 % 64
            copy(A[row:row + 64, 0:64], s)
            gemm(s, s, c, tB=True, clear=False)
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [4096, 64]), pages: tensor(i32, [8, 16]), lengths: tensor(i32, [8])):
#>     A_map = tensor_map(A, dims=[64, 4096], strides=[128], box=[64, 64], swz=(16, 128, 7))
#>     with kernel("k", grid=[8, 4, 1], block=256) as (block, block_1, bz):
#>         ring = ring(2, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="group", arrivals=1)
#>         s = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring)
#>         with role("producer", 0, 128):
#>             number = block_1 * 8 + block
#>             panel = number // 80
#>             within = number % 80
#>             rows = 4 - panel * 10 if 4 - panel * 10 < 10 else 10
#>             far = within // rows
#>             bx = 7 - far if panel % 2 == 1 else far
#>             n = ceildiv(lengths[bx], 64)
#>             for r in serial(n):
#>                 k = n - 1 - r
#>                 row = pages[bx, k * 64 // 64] * 64 + k * 64 % 64
#>                 s_1 = ring_acquire(ring)
#>                 copy(A[row:row + 64], s[s_1], by="engine", map=A_map)
#>                 ring_commit(ring)
#>         with role("consumer", 128, 256):
#>             number = block_1 * 8 + block
#>             panel = number // 80
#>             within = number % 80
#>             rows = 4 - panel * 10 if 4 - panel * 10 < 10 else 10
#>             far = within // rows
#>             bx = 7 - far if panel % 2 == 1 else far
#>             by = panel * 10 + within % rows
#>             assume("", bx >= 0 and bx < 8)
#>             assume("", by >= 0 and by < 4)
#>             c = fragment(f32, [64, 64])
#>             n = ceildiv(lengths[bx], 64)
#>             for r in serial(n):
#>                 k = n - 1 - r
#>                 row = pages[bx, k * 64 // 64] * 64 + k * 64 % 64
#>                 s_1 = ring_wait(ring)
#>                 gemm(s[s_1], s[s_1], c, tB=True, clear=False, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
#>                 ring_release(ring)
