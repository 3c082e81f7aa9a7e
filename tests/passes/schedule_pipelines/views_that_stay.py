# test: passes run=select_instructions,schedule_pipelines
# Extents that a block computes are unknown before the loop, so these copies are not pipelined.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 256]), C: tensor(f32, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        fill(c, 0.0)
        n = bx * 64 + 64
        rows = view(A, f16, [n, 256])
        for k in pipelined(4, stages=2):
            copy(rows[0:64, k * 64:k * 64 + 64], a)
            gemm(a, a, c, tB=True, clear=False)
        copy(c, C)
#> warning[slow-fallback]: T.Pipelined is compiled as a loop in order, which is slower
#>   --> views_that_stay.py, line 5
#>   5 |     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#>  ...
#>  12 |             copy(rows[0:64, k * 64:k * 64 + 64], a)
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ not prefetched: `rows` is a view with computed extents: make it of numbers and extents of tensors
#> note: a producer and consumers: no pipelined loop has a copy to prefetch
#> note: prefetched copies in groups: no loop of two stages has an asynchronous copy to prefetch
#> help: copy whole shared buffers from tensors, and use them after the copy in the same loop
#>
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 256]), C: tensor(f32, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         a = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 128, 7))
#>         c = fragment(f32, [64, 64])
#>         fill(c, 0.0)
#>         n = bx * 64 + 64
#>         rows = view(A, f16, [n, 256])
#>         for k in serial(4):
#>             copy(rows[0:64, k * 64:k * 64 + 64], a, by="simt")
#>             gemm(a, a, c, tB=True, clear=False, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
#>         copy(c, C, by="simt")
