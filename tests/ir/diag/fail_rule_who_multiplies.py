# test: diag
# Operand and accumulator types of matrix instructions, the memory of their operands, and targets that have them.
ir(1, level="tile", target="sm_90a", after="select_instructions")
def f(A: tensor(f16, [64])):
    with kernel("k", grid=[1, 1, 1], block=128) as bx:
        h = shared(f16, [64, 64])
        x = shared(bf16, [64, 64])
        d = shared(f64, [64, 64])
        s = fragment(f16, [64, 64])
        c = fragment(f32, [64, 64])
        i = fragment(i32, [64, 64])
        w = shared(f32, [64, 64])
        e = fragment(f64, [64, 64])
        gemm(d, d, c, clear=True, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
        gemm(h, x, c, clear=True, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
        gemm(h, h, i, clear=True, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
        gemm(s, s, c, clear=True, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
        gemm(h, h, c, clear=True, by="sqmma", inst=[64, 64, 64], warps=[4, 1])
        gemm(h, h, c, clear=True, by="wgmma")
        gemm(h, h, c, clear=True, by="wgmma", inst=[64, 64, 32], warps=[4, 1])
        gemm(w, w, c, clear=True, by="wgmma", inst=[64, 64, 8], warps=[4, 1])
        gemm(h, h, c, clear=True, tf32=True)
        gemm(w, w, e, clear=True, tf32=True, by="fma")
#> error[ir-rule]: gemm by wgmma cannot multiply f64 by f64
#>   --> fail_rule_who_multiplies.py, line 14
#>  14 |         gemm(d, d, c, clear=True, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: gemm by wgmma cannot multiply f16 by bf16
#>   --> fail_rule_who_multiplies.py, line 15
#>  15 |         gemm(h, x, c, clear=True, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: gemm by wgmma accumulates products of f16 in f32, `i` has i32
#>   --> fail_rule_who_multiplies.py, line 16
#>  16 |         gemm(h, h, i, clear=True, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: gemm by wgmma takes its right operand from shared memory, `s` is a fragment
#>   --> fail_rule_who_multiplies.py, line 17
#>  17 |         gemm(s, s, c, clear=True, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[target-lacks]: `sqmma` is not available on sm_90a: it has different matrix instructions
#>   --> fail_rule_who_multiplies.py, line 18
#>  18 |         gemm(h, h, c, clear=True, by="sqmma", inst=[64, 64, 64], warps=[4, 1])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: choose a target that has it (%target), or another operation
#>
#> error[ir-rule]: gemm by wgmma needs the shape of its instructions (`inst`) and the warps that issue them (`warps`)
#>   --> fail_rule_who_multiplies.py, line 19
#>  19 |         gemm(h, h, c, clear=True, by="wgmma")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: gemm by wgmma of f16 has no instruction of 64 x 64 x 32
#>   --> fail_rule_who_multiplies.py, line 20
#>  20 |         gemm(h, h, c, clear=True, by="wgmma", inst=[64, 64, 32], warps=[4, 1])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: gemm by wgmma reads operands of f32 as tf32: write tf32=True, or by="fma"
#>   --> fail_rule_who_multiplies.py, line 21
#>  21 |         gemm(w, w, c, clear=True, by="wgmma", inst=[64, 64, 8], warps=[4, 1])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: gemm reads operands of f32 as tf32, not of f16
#>   --> fail_rule_who_multiplies.py, line 22
#>  22 |         gemm(h, h, c, clear=True, tf32=True)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-after]: no unit is assigned to the gemm after select_instructions
#>   --> fail_rule_who_multiplies.py, line 22
#>  22 |         gemm(h, h, c, clear=True, tf32=True)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write it as that pass does (%ir k --after PASS shows it), or name the previous pass in `after`, so that this one runs again
#>
#> error[ir-rule]: gemm by tf32 accumulates in f32, not in f64
#>   --> fail_rule_who_multiplies.py, line 23
#>  23 |         gemm(w, w, e, clear=True, tf32=True, by="fma")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
