# test: passes run=select_instructions,schedule_pipelines
# Blocks that run side by side share rows and columns; the producer knows where its block is, too.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [512, 256])):
    with kernel("k", grid=[4, 8, 1], block=128, attrs={"panel": 3, "panel_order": "row"}) as (bx, by, bz):
        s = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        for k in pipelined(4, stages=2):
            copy(A[by * 64:by * 64 + 64, k * 64:k * 64 + 64], s)
            gemm(s, s, c, tB=True, clear=False)
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [512, 256])):
#>     A_map = tensor_map(A, dims=[256, 512], strides=[512], box=[64, 64], swz=(16, 128, 7))
#>     with kernel("k", grid=[4, 8, 1], block=256) as (block, block_1, bz):
#>         ring = ring(2, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="group", arrivals=1)
#>         s = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring)
#>         with role("producer", 0, 128):
#>             number = block_1 * 4 + block
#>             panel = number // 12
#>             within = number % 12
#>             rows = 8 - panel * 3 if 8 - panel * 3 < 3 else 3
#>             by = panel * 3 + within % rows
#>             for k in serial(4):
#>                 s_1 = ring_acquire(ring)
#>                 copy(A[by * 64:by * 64 + 64, k * 64:k * 64 + 64], s[s_1], by="engine", map=A_map)
#>                 ring_commit(ring)
#>         with role("consumer", 128, 256):
#>             number = block_1 * 4 + block
#>             panel = number // 12
#>             within = number % 12
#>             rows = 8 - panel * 3 if 8 - panel * 3 < 3 else 3
#>             far = within // rows
#>             bx = 3 - far if panel % 2 == 1 else far
#>             by = panel * 3 + within % rows
#>             assume("", bx >= 0 and bx < 4)
#>             assume("", by >= 0 and by < 8)
#>             c = fragment(f32, [64, 64])
#>             for k in serial(4):
#>                 s_1 = ring_wait(ring)
#>                 gemm(s[s_1], s[s_1], c, tB=True, clear=False, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
#>                 ring_release(ring)
