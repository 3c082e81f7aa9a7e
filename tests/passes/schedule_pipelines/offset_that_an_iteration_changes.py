# test: passes run=schedule_pipelines
# A variable that the loop changes is not that of an earlier iteration.
ir(1, level="tile", target="sm_80", after="select_instructions", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 256]), M: tensor(i32, [4])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        base = var(i32, 0)
        for k in pipelined(2, stages=2):
            copy(A[0:64, base:base + 64], s, by="async")
            gemm(s, s, c, tB=True, clear=False, by="fma")
            base = base + M[k]
#> warning[slow-fallback]: T.Pipelined is compiled as a loop in order, which is slower
#>   --> offset_that_an_iteration_changes.py, line 5
#>   5 |     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#>  ...
#>  10 |             copy(A[0:64, base:base + 64], s, by="async")
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ not prefetched: its address is computed by later statements
#> note: a producer and consumers: the target has no copy engine with barriers
#> note: prefetched copies in groups: no loop of two stages has an asynchronous copy to prefetch
#> help: copy whole shared buffers from tensors, and use them after the copy in the same loop
#>
#> ir(1, level="tile", target="sm_80", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 256]), M: tensor(i32, [4])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         s = shared(f16, [64, 64])
#>         c = fragment(f32, [64, 64])
#>         base = var(i32, 0)
#>         for k in serial(2):
#>             copy(A[0:64, base:base + 64], s, by="simt")
#>             gemm(s, s, c, tB=True, clear=False, by="fma")
#>             base = base + M[k]
