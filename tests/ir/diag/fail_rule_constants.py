# test: diag
# Rules about numbers hold for what comes to a number, too.
ir(1, level="thread", target="sm_80", after="allocate_barriers")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=256, smem=0) as bx:
        a = local(f16, [1])
        b = local(f16, [8])
        c = local(f32, [4])
        named_arrive(1 + 127, threads=256)
        for k in unroll(2):
            mma(c[0:4], a[k * 8:k * 8 + 8], b[0:4], shape="m16n8k16")
#> error[ir-rule]: `named_arrive` uses one of the barriers 1 to 15, not 128
#>   --> fail_rule_constants.py, line 9
#>   9 |         named_arrive(1 + 127, threads=256)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `a[k * 8:k * 8 + 8]` names registers beyond the 1 of `a`
#>   --> fail_rule_constants.py, line 11
#>  11 |             mma(c[0:4], a[k * 8:k * 8 + 8], b[0:4], shape="m16n8k16")
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
