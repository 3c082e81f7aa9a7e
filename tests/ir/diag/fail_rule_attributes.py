# test: diag
ir(1, level="thread", target="sm_90a")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=128) as bx:
        c = local(f32, [64])
        s = shared(f16, [128, 64], lay=[[a(128, 64)], [a(64, 1)]])
        wgmma(c[0:64], s[0:64, 0:16], s[0:128, 0:16])
        wgmma(c[0:64], s[0:64, 0:16], s[0:128, 0:16], shape="m64n129k16", zero=1)
        block_sync(memory="all")
        block_sync(mem="both")
        x = ieee_add(A[tid], A[tid], mode="up")
        y = atomic_add(A[0], 1.0, order="sequential")
#> error[ir-rule]: `wgmma` needs its attribute `shape`
#>   --> fail_rule_attributes.py, line 7
#>   7 |         wgmma(c[0:64], s[0:64, 0:16], s[0:128, 0:16])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the attribute `shape` of `wgmma` is a shape of this instruction
#>   --> fail_rule_attributes.py, line 8
#>   8 |         wgmma(c[0:64], s[0:64, 0:16], s[0:128, 0:16], shape="m64n129k16", zero=1)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the attribute `zero` of `wgmma` is True or False
#>   --> fail_rule_attributes.py, line 8
#>   8 |         wgmma(c[0:64], s[0:64, 0:16], s[0:128, 0:16], shape="m64n129k16", zero=1)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `block_sync` has no attribute `memory`
#>   --> fail_rule_attributes.py, line 9
#>   9 |         block_sync(memory="all")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the attribute `mem` of `block_sync` is one of shared, all
#>   --> fail_rule_attributes.py, line 10
#>  10 |         block_sync(mem="both")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the attribute `mode` of `ieee_add` is one of rn, rz, ru, rd
#>   --> fail_rule_attributes.py, line 11
#>  11 |         x = ieee_add(A[tid], A[tid], mode="up")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the attribute `order` of `atomic_add` is one of relaxed, consume, acquire, release, acq_rel, seq_cst
#>   --> fail_rule_attributes.py, line 12
#>  12 |         y = atomic_add(A[0], 1.0, order="sequential")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
