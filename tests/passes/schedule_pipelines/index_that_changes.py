# test: passes run=select_instructions,schedule_pipelines
# The copy's source may change in each iteration, so it is not pipelined.
ir(1, level="tile", target="sm_80", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 256]), I: tensor(i32, [4])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        for k in pipelined(4, stages=2):
            at = I[k]
            copy(A[0:64, at:at + 64], s)
            gemm(s, s, c, tB=True, clear=False)
            I[3 - k] = 64
#> warning[slow-fallback]: T.Pipelined is compiled as a loop in order, which is slower
#>   --> index_that_changes.py, line 5
#>   5 |     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#>  ...
#>  10 |             copy(A[0:64, at:at + 64], s)
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~ not prefetched: its address is computed by later statements
#> note: a producer and consumers: the target has no copy engine with barriers
#> note: prefetched copies in groups: no loop of two stages has an asynchronous copy to prefetch
#> help: copy whole shared buffers from tensors, and use them after the copy in the same loop
#>
#> ir(1, level="tile", target="sm_80", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 256]), I: tensor(i32, [4])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         s = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 128, 7))
#>         c = fragment(f32, [64, 64])
#>         for k in serial(4):
#>             at = I[k]
#>             copy(A[0:64, at:at + 64], s, by="simt")
#>             gemm(s, s, c, tB=True, clear=False, by="mma", inst=[16, 8, 16], warps=[2, 2])
#>             I[3 - k] = 64
