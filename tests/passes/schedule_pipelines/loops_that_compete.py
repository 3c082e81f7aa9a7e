# test: passes run=select_instructions,schedule_pipelines
# Two slots each do not fit 64 KiB: the loop of the larger ones runs in order.
ir(1, level="tile", target="mp_22", configs={"tilelab.hardware_units": True})
def f(A: tensor(f32, [64, 256])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        c = fragment(f32, [64, 64])
        small = shared(f32, [64, 16])
        for k in pipelined(16, stages=2):
            copy(A[0:64, k * 16:k * 16 + 16], small)
            gemm(small, small, c, tB=True, clear=False)
        large = shared(f32, [64, 128])
        for k in pipelined(2, stages=2):
            copy(A[0:64, k * 128:k * 128 + 128], large)
            gemm(large, large, c, tB=True, clear=False)
#> warning[slow-fallback]: T.gemm is compiled as multiply-adds of the threads, which is slower
#>   --> loops_that_compete.py, line 10
#>  10 |             gemm(small, small, c, tB=True, clear=False)
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> note: mma_mp22: it reads f32 as tf32, which needs operands of the dtype tfloat32
#> help: give it a shape, types and memory scopes that a matrix instruction of mp_22 takes
#>
#> warning[slow-fallback]: T.gemm is compiled as multiply-adds of the threads, which is slower
#>   --> loops_that_compete.py, line 14
#>  14 |             gemm(large, large, c, tB=True, clear=False)
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> note: mma_mp22: it reads f32 as tf32, which needs operands of the dtype tfloat32
#> help: give it a shape, types and memory scopes that a matrix instruction of mp_22 takes
#>
#> ir(1, level="tile", target="mp_22", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f32, [64, 256])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         ring = ring(2, fill="group", bytes=4096, producer="main", consumer="main", unit="warp", arrivals=0)
#>         small = shared(f32, [2, 64, 16], lay=[[a(2, 1024)], [a(64, 16)], [a(16, 1)]], ring=ring)
#>         c = fragment(f32, [64, 64])
#>         for p in unroll(1):
#>             w = ring_acquire(ring)
#>             copy(A[0:64, p * 16:p * 16 + 16], small[w], by="async")
#>             ring_commit(ring)
#>         for k in serial(16):
#>             s = ring_wait(ring)
#>             w = ring_acquire(ring)
#>             if k + 1 < 16:
#>                 copy(A[0:64, (k + 1) * 16:(k + 1) * 16 + 16], small[w], by="async")
#>             ring_commit(ring)
#>             gemm(small[s], small[s], c, tB=True, clear=False, by="fma")
#>             ring_release(ring)
#>         large = shared(f32, [64, 128])
#>         for k in serial(2):
#>             copy(A[0:64, k * 128:k * 128 + 128], large, by="simt")
#>             gemm(large, large, c, tB=True, clear=False, by="fma")
