# test: passes run=select_instructions,schedule_pipelines
# One slot can hold nothing for later.
ir(1, level="tile", target="sm_80", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 256])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        for k in pipelined(4, stages=1):
            copy(A[0:64, k * 64:k * 64 + 64], s)
            gemm(s, s, c, tB=True, clear=False)
#> warning[slow-fallback]: T.Pipelined is compiled as a loop in order, which is slower
#>   --> one_stage_in_order.py, line 5
#>   5 |     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> note: a producer and consumers: the target has no copy engine with barriers
#> note: prefetched copies in groups: no loop of two stages has an asynchronous copy to prefetch
#> help: pass num_stages=2 or more: with one stage a copy waits for the iteration before it
#>
#> ir(1, level="tile", target="sm_80", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 256])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         s = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 128, 7))
#>         c = fragment(f32, [64, 64])
#>         for k in serial(4):
#>             copy(A[0:64, k * 64:k * 64 + 64], s, by="simt")
#>             gemm(s, s, c, tB=True, clear=False, by="mma", inst=[16, 8, 16], warps=[2, 2])
