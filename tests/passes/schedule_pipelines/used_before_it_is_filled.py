# test: passes run=select_instructions,schedule_pipelines
# The previous iteration filled the buffer that is used first: the copy is not pipelined.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 256])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        for k in pipelined(4, stages=2):
            for i, j in parallel(64, 64):
                c[i, j] = c[i, j] + f32(s[i, j])
            copy(A[0:64, k * 64:k * 64 + 64], s)
#> warning[slow-fallback]: T.Pipelined is compiled as a loop in order, which is slower
#>   --> used_before_it_is_filled.py, line 5
#>   5 |     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#>  ...
#>  11 |             copy(A[0:64, k * 64:k * 64 + 64], s)
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ not prefetched: `s` is used before it is filled
#> note: a producer and consumers: no pipelined loop has a copy to prefetch
#> note: prefetched copies in groups: no loop of two stages has an asynchronous copy to prefetch
#> help: copy whole shared buffers from tensors, and use them after the copy in the same loop
#>
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 256])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         s = shared(f16, [64, 64])
#>         c = fragment(f32, [64, 64])
#>         for k in serial(4):
#>             for i, j in parallel(64, 64):
#>                 c[i, j] = c[i, j] + f32(s[i, j])
#>             copy(A[0:64, k * 64:k * 64 + 64], s, by="simt")
