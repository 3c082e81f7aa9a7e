# test: passes run=select_instructions
# wgmma transposes operands of 2 bytes only; mma accepts no tile of 8 columns. The reason names the operand.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f(A: tensor(f32, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f32, [64, 32])
        a_m = shared(f32, [32, 64])
        b = shared(f32, [8, 32])
        b_n = shared(f32, [32, 8])
        c = fragment(f32, [64, 8])
        d = fragment(f32, [64, 8])
        gemm(a, b_n, c, clear=True, tf32=True)
        gemm(a_m, b, d, tA=True, tB=True, clear=True, tf32=True)
#> warning[slow-fallback]: T.gemm is compiled as multiply-adds of the threads, which is slower
#>   --> gemm_of_n_major_tf32.py, line 12
#>  12 |         gemm(a, b_n, c, clear=True, tf32=True)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> note: wgmma: it reads operands of 32 bits only K-major, but B is N-major; mma: no shape of it covers 64 x 8 x 32 with 128 threads; dmma: no operands of f32
#> help: give it a shape, types and memory scopes that a matrix instruction of sm_90a takes
#>
#> warning[slow-fallback]: T.gemm is compiled as multiply-adds of the threads, which is slower
#>   --> gemm_of_n_major_tf32.py, line 13
#>  13 |         gemm(a_m, b, d, tA=True, tB=True, clear=True, tf32=True)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> note: wgmma: it reads operands of 32 bits only K-major, but A is M-major; mma: no shape of it covers 64 x 8 x 32 with 128 threads; dmma: no operands of f32
#> help: give it a shape, types and memory scopes that a matrix instruction of sm_90a takes
#>
#> ir(1, level="tile", target="sm_90a", after="select_instructions", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f32, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         a = shared(f32, [64, 32])
#>         a_m = shared(f32, [32, 64])
#>         b = shared(f32, [8, 32])
#>         b_n = shared(f32, [32, 8])
#>         c = fragment(f32, [64, 8])
#>         d = fragment(f32, [64, 8])
#>         gemm(a, b_n, c, clear=True, tf32=True, by="fma")
#>         gemm(a_m, b, d, tA=True, tB=True, clear=True, tf32=True, by="fma")
