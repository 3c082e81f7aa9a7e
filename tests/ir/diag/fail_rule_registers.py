# test: diag
ir(1, level="thread", target="sm_80")
def f(A: tensor(f32, [64]), B: tensor(f16, [8, 8])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        C = local(f32, [8])
        D = local(f16, [16])
        for i in serial(2):
            mma(C[4 * i:4 * i + 4], D[0:8], D[8:12], shape="m16n8k16")
#> error[ir-rule]: registers are named by constants, but `4 * i` is only known at run time
#>   --> fail_rule_registers.py, line 8
#>   8 |             mma(C[4 * i:4 * i + 4], D[0:8], D[8:12], shape="m16n8k16")
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
