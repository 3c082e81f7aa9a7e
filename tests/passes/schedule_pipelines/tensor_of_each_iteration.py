# test: passes run=schedule_pipelines
# A copy is not moved before the iteration that computes the address of its tensor.
ir(1, level="tile", target="sm_80", configs={"tilelab.hardware_units": True})
def f(P: tensor(i64, [4], pointers=True), B: tensor(f16, [64, 256])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = shared(f16, [64, 64])
        t = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        for k in pipelined(4, stages=2):
            A_address = P[k]
            A = tensor(f16, [64, 64], address=A_address)
            copy(A, s)
            copy(B[0:64, k * 64:k * 64 + 64], t)
            gemm(s, t, c, tB=True, clear=False)
#> warning[slow-fallback]: T.Pipelined is compiled as a loop in order, which is slower
#>   --> tensor_of_each_iteration.py, line 5
#>   5 |     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#>  ...
#>  12 |             copy(A, s)
#>     |             ~~~~~~~~~~ not prefetched: each iteration computes the address of `A`
#> note: a producer and consumers: the target has no copy engine with barriers
#> note: prefetched copies in groups: no loop of two stages has an asynchronous copy to prefetch
#> help: copy whole shared buffers from tensors, and use them after the copy in the same loop
#>
#> ir(1, level="tile", target="sm_80", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(P: tensor(i64, [4], pointers=True), B: tensor(f16, [64, 256])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         s = shared(f16, [64, 64])
#>         t = shared(f16, [64, 64])
#>         c = fragment(f32, [64, 64])
#>         for k in serial(4):
#>             A_address = P[k]
#>             A = tensor(f16, [64, 64], address=A_address)
#>             copy(A, s)
#>             copy(B[0:64, k * 64:k * 64 + 64], t)
#>             gemm(s, t, c, tB=True, clear=False)
