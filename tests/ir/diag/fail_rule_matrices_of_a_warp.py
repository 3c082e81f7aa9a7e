# test: diag
# At tile level ldmatrix and mma may become shuffles, on any target: their operands must have the registers that PTX defines.
ir(1, level="tile", target="mp_22")
def f(A: tensor(f16, [16, 16])):
    with kernel("k", grid=[1, 1, 1], block=128) as bx:
        s = shared(f16, [16, 16])
        d = shared(f64, [16, 16])
        a = local(f16, [8])
        b = local(f16, [4])
        c = local(f32, [8])
        w = local(f32, [2])
        x = local(f64, [2])
        ldmatrix(x[0:1], d[tid % 8, 0:2])
        ldmatrix(w[0:2], s[tid % 8, 0:8])
        mma(c[0:8], a[0:8], b[0:4], shape="m16n8k16")
        mma(c[0:8], a[0:8], b[0:4], shape="m32n32k16")
#> error[ir-rule]: `ldmatrix` loads rows of elements of 4 bytes or less, of one dtype
#>   --> fail_rule_matrices_of_a_warp.py, line 13
#>  13 |         ldmatrix(x[0:1], d[tid % 8, 0:2])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `ldmatrix` loads rows of elements of 4 bytes or less, of one dtype
#>   --> fail_rule_matrices_of_a_warp.py, line 14
#>  14 |         ldmatrix(w[0:2], s[tid % 8, 0:8])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: operand 0 of `mma` has 4 registers for this shape, not 8
#>   --> fail_rule_matrices_of_a_warp.py, line 15
#>  15 |         mma(c[0:8], a[0:8], b[0:4], shape="m16n8k16")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: operand 0 of `mma` has 32 registers for this shape, not 8
#>   --> fail_rule_matrices_of_a_warp.py, line 16
#>  16 |         mma(c[0:8], a[0:8], b[0:4], shape="m32n32k16")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: operand 1 of `mma` has 16 registers for this shape, not 8
#>   --> fail_rule_matrices_of_a_warp.py, line 16
#>  16 |         mma(c[0:8], a[0:8], b[0:4], shape="m32n32k16")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: operand 2 of `mma` has 16 registers for this shape, not 4
#>   --> fail_rule_matrices_of_a_warp.py, line 16
#>  16 |         mma(c[0:8], a[0:8], b[0:4], shape="m32n32k16")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `mma` of f16 does not have that shape
#>   --> fail_rule_matrices_of_a_warp.py, line 16
#>  16 |         mma(c[0:8], a[0:8], b[0:4], shape="m32n32k16")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
