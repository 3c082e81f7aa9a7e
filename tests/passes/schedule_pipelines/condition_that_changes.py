# test: passes run=schedule_pipelines
# The mask is written after it was filled, or the kernel writes the tensor: the loop is in order.
ir(1, level="tile", target="sm_80", after="select_instructions", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 256]), M: tensor(i32, [4]), W: tensor(i32, [4])):
    with kernel("k", grid=[1, 1, 1], block=64) as (bx, by, bz):
        s = shared(f16, [64, 64])
        t = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        m = local(i32, [4])
        w = local(i32, [4])
        for i in serial(4):
            m[i] = M[i]
        for i in serial(4):
            w[i] = W[i]
        m[1] = 0
        for k in pipelined(4, stages=2):
            if m[k] > 0:
                copy(A[0:64, k * 64:k * 64 + 64], s, by="async")
                gemm(s, s, c, tB=True, clear=False, by="fma")
        for k in pipelined(4, stages=2):
            if w[k] > 0:
                copy(A[0:64, k * 64:k * 64 + 64], t, by="async")
                gemm(t, t, c, tB=True, clear=False, by="fma")
        for k in serial(4):
            W[k] = k
#> warning[slow-fallback]: T.Pipelined is compiled as a loop in order, which is slower
#>   --> condition_that_changes.py, line 5
#>   5 |     with kernel("k", grid=[1, 1, 1], block=64) as (bx, by, bz):
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> note: a producer and consumers: the target has no copy engine with barriers
#> note: prefetched copies in groups: no loop of two stages has an asynchronous copy to prefetch
#> help: copy whole shared buffers from tensors, and use them after the copy in the same loop
#>
#> ir(1, level="tile", target="sm_80", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 256]), M: tensor(i32, [4]), W: tensor(i32, [4])):
#>     with kernel("k", grid=[1, 1, 1], block=64) as (bx, by, bz):
#>         s = shared(f16, [64, 64])
#>         t = shared(f16, [64, 64])
#>         c = fragment(f32, [64, 64])
#>         m = local(i32, [4])
#>         w = local(i32, [4])
#>         for i in serial(4):
#>             m[i] = M[i]
#>         for i in serial(4):
#>             w[i] = W[i]
#>         m[1] = 0
#>         for k in serial(4):
#>             if m[k] > 0:
#>                 copy(A[0:64, k * 64:k * 64 + 64], s, by="simt")
#>                 gemm(s, s, c, tB=True, clear=False, by="fma")
#>         for k in serial(4):
#>             if w[k] > 0:
#>                 copy(A[0:64, k * 64:k * 64 + 64], t, by="simt")
#>                 gemm(t, t, c, tB=True, clear=False, by="fma")
#>         for k in serial(4):
#>             W[k] = k
