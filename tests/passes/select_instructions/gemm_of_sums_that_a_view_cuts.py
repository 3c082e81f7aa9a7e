# test: passes run=select_instructions
# No layout of the sums suits the view: threads multiply.
ir(1, level="tile", target="sm_80", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f16, [64, 64])
        b = shared(f16, [64, 48])
        c = fragment(f32, [64, 48])
        odd = view(c, f32, [96, 32])
        gemm(a, b, c)
#> warning[slow-fallback]: T.gemm is compiled as multiply-adds of the threads, which is slower
#>   --> gemm_of_sums_that_a_view_cuts.py, line 10
#>  10 |         gemm(a, b, c)
#>     |         ^^^^^^^^^^^^^
#> note: mma: the view `odd` splits the elements of a thread in `c`; dmma: no operands of f16
#> help: give it a shape, types and memory scopes that a matrix instruction of sm_80 takes
#>
#> ir(1, level="tile", target="sm_80", after="select_instructions", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         a = shared(f16, [64, 64])
#>         b = shared(f16, [64, 48])
#>         c = fragment(f32, [64, 48])
#>         odd = view(c, f32, [96, 32])
#>         gemm(a, b, c, by="fma")
