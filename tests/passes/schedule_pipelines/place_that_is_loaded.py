# test: passes run=schedule_pipelines
# The copy's destination is known only in its own iteration, so it is not moved.
ir(1, level="tile", target="sm_80", after="select_instructions", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 256]), I: tensor(i32, [4])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        for k in pipelined(4, stages=2):
            at = I[k]
            copy(A[0:64, 0:64], s[at:at + 64], by="async")
            gemm(s, s, c, tB=True, clear=False, by="fma")
#> warning[slow-fallback]: T.Pipelined is compiled as a loop in order, which is slower
#>   --> place_that_is_loaded.py, line 5
#>   5 |     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#>  ...
#>  10 |             copy(A[0:64, 0:64], s[at:at + 64], by="async")
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ not prefetched: it fills a part of `s`
#> note: a producer and consumers: the target has no copy engine with barriers
#> note: prefetched copies in groups: no loop of two stages has an asynchronous copy to prefetch
#> help: copy whole shared buffers from tensors, and use them after the copy in the same loop
#>
#> ir(1, level="tile", target="sm_80", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 256]), I: tensor(i32, [4])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         s = shared(f16, [64, 64])
#>         c = fragment(f32, [64, 64])
#>         for k in serial(4):
#>             at = I[k]
#>             copy(A[0:64, 0:64], s[at:at + 64], by="simt")
#>             gemm(s, s, c, tB=True, clear=False, by="fma")
