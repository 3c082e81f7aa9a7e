# test: passes run=schedule_pipelines
# Row numbers that are modified after they were read are not those of the tensor.
ir(1, level="tile", target="sm_80", after="select_instructions", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [1024, 64]), I: tensor(i32, [256])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = shared(f16, [64, 64])
        n = fragment(i32, [64])
        c = fragment(f32, [64, 64])
        for k in pipelined(4, stages=2):
            for i in parallel(64):
                n[i] = I[k * 64 + i]
            for i in parallel(32):
                n[i] = 0
            for i, j in parallel(64, 64):
                s[i, j] = A[n[i], j]
            gemm(s, s, c, tB=True, clear=False, by="fma")
#> warning[slow-fallback]: T.Pipelined is compiled as a loop in order, which is slower
#>   --> row_numbers_that_change.py, line 5
#>   5 |     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#>  ...
#>  14 |             for i, j in parallel(64, 64):
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ not prefetched: it reads `n`, which is not a tensor
#> note: a producer and consumers: the target has no copy engine with barriers
#> note: prefetched copies in groups: no loop of two stages has an asynchronous copy to prefetch
#> help: copy whole shared buffers from tensors, and use them after the copy in the same loop
#>
#> ir(1, level="tile", target="sm_80", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [1024, 64]), I: tensor(i32, [256])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         s = shared(f16, [64, 64])
#>         n = fragment(i32, [64])
#>         c = fragment(f32, [64, 64])
#>         for k in serial(4):
#>             for i in parallel(64):
#>                 n[i] = I[k * 64 + i]
#>             for i in parallel(32):
#>                 n[i] = 0
#>             for i, j in parallel(64, 64):
#>                 s[i, j] = A[n[i], j]
#>             gemm(s, s, c, tB=True, clear=False, by="fma")
