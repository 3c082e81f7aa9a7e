# test: diag
ir(1, level="tile", target="mp_31")
def f(A: tensor(f16, [128, 64]), B: tensor(f16, [64, 128])):
    with kernel("k", grid=[1, 1, 1], block=256) as bx:
        c = fragment(f32, [128, 128])
        gemm(A, B, c, clear=False, by="sqmma", inst=[128, 64, 64], warps=[2, 2])
        gemm(A, B, c, clear=False, by="sqmma", inst=[128, 64, 64], warps=[8, 1])
        gemm(A, B, c, clear=False, by="sqmma", inst=[64, 64, 64], warps=[8, 2])
#> error[ir-rule]: the warps of gemm along m must be a multiple of the 4 that issue sqmma together
#>   --> fail_rule_gemm_warps.py, line 6
#>   6 |         gemm(A, B, c, clear=False, by="sqmma", inst=[128, 64, 64], warps=[2, 2])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: extent 128 of gemm cannot be distributed over 8 warps of instructions of 128
#>   --> fail_rule_gemm_warps.py, line 7
#>   7 |         gemm(A, B, c, clear=False, by="sqmma", inst=[128, 64, 64], warps=[8, 1])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: gemm by sqmma takes more warps than the 256 threads that reach it have
#>   --> fail_rule_gemm_warps.py, line 8
#>   8 |         gemm(A, B, c, clear=False, by="sqmma", inst=[64, 64, 64], warps=[8, 2])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
