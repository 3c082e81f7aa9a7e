# test: passes run=select_instructions
# f32 would be rounded to tf32: that is not chosen.
ir(1, level="tile", target="sm_80", configs={"tilelab.hardware_units": True})
def f(A: tensor(f32, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f32, [64, 32])
        b = shared(f32, [32, 64])
        c = fragment(f32, [64, 64])
        gemm(a, b, c, clear=True)
#> warning[slow-fallback]: T.gemm is compiled as multiply-adds of the threads, which is slower
#>   --> gemm_of_another_type.py, line 9
#>   9 |         gemm(a, b, c, clear=True)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^
#> note: mma: it reads f32 as tf32, which needs operands of the dtype tfloat32; dmma: no operands of f32
#> help: give it a shape, types and memory scopes that a matrix instruction of sm_80 takes
#>
#> ir(1, level="tile", target="sm_80", after="select_instructions", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f32, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         a = shared(f32, [64, 32])
#>         b = shared(f32, [32, 64])
#>         c = fragment(f32, [64, 64])
#>         gemm(a, b, c, clear=True, by="fma")
