# test: passes run=select_instructions
# A has another layout by annotation, which stays; so no matrix instruction reads it.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f16, [64, 64], lay=[[a(64, 1)], [a(64, 64)]])
        b = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        gemm(a, b, c, clear=True)
#> warning[slow-road]: T.gemm becomes multiply-adds of the threads: the machine's own units do not fit it
#>   --> gemm_annotated_operand.py, line 9
#>   9 |         gemm(a, b, c, clear=True)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^
#> note: wgmma: `a` has another layout by annotation; mma: `a` has another layout by annotation; dmma: no operands of f16
#> help: give it a shape, types and memory that a matrix instruction of sm_90a takes
#>
#> ir(1, level="tile", target="sm_90a", after="select_instructions", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         a = shared(f16, [64, 64], lay=[[a(64, 1)], [a(64, 64)]])
#>         b = shared(f16, [64, 64])
#>         c = fragment(f32, [64, 64])
#>         gemm(a, b, c, clear=True, by="fma")
