# test: diag
ir(1, level="tile", target="mp_31")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=128) as bx:
        x = shared(f16, [64, 32])
        y = shared(f16, [32])
        z = shared(f16, [2, 64, 32])
        s = fragment(f32, [64, 64])
        gemm(x, y, s)
        gemm(x, x, s)
        gemm(z, z, s, tB=True)
#> error[ir-rule]: an operand of gemm is a matrix, `y` has one dimension here
#>   --> fail_gemm_operands.py, line 9
#>   9 |         gemm(x, y, s)
#>     |         ^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the operands of gemm do not agree in m, n and k
#>   --> fail_gemm_operands.py, line 10
#>  10 |         gemm(x, x, s)
#>     |         ^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: an operand of gemm is a matrix, `z` has several matrices here
#>   --> fail_gemm_operands.py, line 11
#>  11 |         gemm(z, z, s, tB=True)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
