# test: passes run=select_instructions,schedule_pipelines
# No versions: the reader waits after its use, for that of the next iteration.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 512]), B: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=256) as (bx, by, bz):
        s = shared(f16, [64, 64])
        bars = barrier([2], count=128, unit="lane")
        with role("ws0", 0, 128):
            c = fragment(f32, [64, 64])
            for k in pipelined(8, stages=2):
                gemm(s, s, c, tB=True, clear=False)
                bar_wait(bars[0], k % 2)
                bar_arrive(bars[1])
        with role("ws1", 128, 256):
            for k in pipelined(8, stages=2):
                bar_wait(bars[1], (k + 1) % 2)
                copy(A[0:64, k * 64:k * 64 + 64], s[0:64, 0:64], barrier=bars[0])
                bar_arrive(bars[0])
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 512]), B: tensor(f16, [64, 64])):
#>     A_map = tensor_map(A, dims=[512, 64], strides=[1024], box=[64, 64], swz=(16, 128, 7))
#>     with kernel("k", grid=[1, 1, 1], block=256) as (bx, by, bz):
#>         s = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 128, 7))
#>         bars = barrier([2], count=128, unit="lane")
#>         with role("ws0", 0, 128):
#>             c = fragment(f32, [64, 64])
#>             for k in serial(8):
#>                 gemm(s, s, c, tB=True, clear=False, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
#>                 bar_wait(bars[0], k % 2)
#>                 bar_arrive(bars[1])
#>         with role("ws1", 128, 256):
#>             for k in serial(8):
#>                 bar_wait(bars[1], (k + 1) % 2)
#>                 copy(A[0:64, k * 64:k * 64 + 64], s, by="engine", map=A_map, barrier=bars[0])
#>                 bar_arrive(bars[0])
