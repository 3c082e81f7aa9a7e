# test: passes run=schedule_pipelines
# Only zeros can be filled in; rows of 3 elements have no whole vectors; an iteration reads what the previous one wrote.
ir(1, level="tile", target="sm_80", after="select_instructions", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 64]), B: tensor(f16, [256, 3]), C: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f16, [64, 64])
        b = shared(f16, [64, 64])
        d = shared(f16, [64, 64])
        for k in pipelined(4, stages=2):
            for i, j in parallel(64, 64):
                a[i, j] = A[i, j] if k + i > 3 else -0.0
            for i, j in parallel(64, 64):
                b[i, j] = B[k * 64 + i, j % 3]
            for i, j in parallel(64, 64):
                d[i, j] = C[i, j]
            for i, j in parallel(64, 64):
                C[i, j] = a[i, j] + b[i, j] + d[j, i]
#> warning[slow-fallback]: T.Pipelined is compiled as a loop in order, which is slower
#>   --> gathers_that_stay.py, line 5
#>   5 |     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#>  ...
#>  12 |             for i, j in parallel(64, 64):
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ not prefetched: no vectors of 4, 8 or 16 bytes of `B` are aligned: rows, or the slices of them, are not multiples of that
#>  ...
#>  14 |             for i, j in parallel(64, 64):
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ not prefetched: the kernel writes `C`
#> note: a producer and consumers: the target has no copy engine with barriers
#> note: prefetched copies in groups: no loop of two stages has an asynchronous copy to prefetch
#> help: copy whole shared buffers from tensors, and use them after the copy in the same loop
#>
#> ir(1, level="tile", target="sm_80", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 64]), B: tensor(f16, [256, 3]), C: tensor(f16, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         a = shared(f16, [64, 64])
#>         b = shared(f16, [64, 64])
#>         d = shared(f16, [64, 64])
#>         for k in serial(4):
#>             for i, j in parallel(64, 64):
#>                 a[i, j] = A[i, j] if k + i > 3 else -0.0
#>             for i, j in parallel(64, 64):
#>                 b[i, j] = B[k * 64 + i, j % 3]
#>             for i, j in parallel(64, 64):
#>                 d[i, j] = C[i, j]
#>             for i, j in parallel(64, 64):
#>                 C[i, j] = a[i, j] + b[i, j] + d[j, i]
