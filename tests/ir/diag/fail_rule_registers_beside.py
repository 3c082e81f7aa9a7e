# test: diag
ir(1, level="thread", target="sm_80")
def f(A: tensor(f32, [64]), B: tensor(f16, [8, 8])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        C = local(f32, [8])
        D = local(f16, [16])
        mma(C[4:8], D[8:16], D[12:16], shape="m16n8k16")
        mma(C[5:9], D[0:8], D[8:12], shape="m16n8k16")
        mma(C[0:4], D[0:8], D[7 * 2:7 * 2 + 4], shape="m16n8k16")
#> error[ir-rule]: `C[5:9]` names registers beyond the 8 of `C`
#>   --> fail_rule_registers_beside.py, line 8
#>   8 |         mma(C[5:9], D[0:8], D[8:12], shape="m16n8k16")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `D[7 * 2:7 * 2 + 4]` names registers beyond the 16 of `D`
#>   --> fail_rule_registers_beside.py, line 9
#>   9 |         mma(C[0:4], D[0:8], D[7 * 2:7 * 2 + 4], shape="m16n8k16")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
