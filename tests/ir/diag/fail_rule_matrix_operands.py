# test: diag
# Operands that no matrix instruction of that shape accepts; ldmatrix gives 1, 2 or 4 matrices; a tensor map is not a value.
ir(1, level="thread", target="sm_90a", after="lower_tile_ops")
def f(A: tensor(f16, [64, 64])):
    A_map = tensor_map(A, dims=[64, 64], strides=[128], box=[64, 64])
    with kernel("k", grid=[1, 1, 1], block=128, smem=24576) as (bx, by, bz):
        a = shared(u16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), at=0)
        b = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), at=8192)
        x = shared(bf16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), at=16384)
        h = local(f16, [64])
        r = local(f16, [16])
        c = local(f32, [64], of=frag([64, 128], [[t(4, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]]))
        wgmma(c[0:64], a[0:64, 0:16], a[0:16, 0:64], shape="m64n128k16", zero=True, tA=False, tB=True)
        ldmatrix(r[0:16], a[lane, 0])
        wgmma(c[0:64], r[0:8], r[8:16], shape="m64n128k16", zero=True, tA=False, tB=True)
        wgmma(h[0:64], r[0:8], b[0:16, 0:64], shape="m64n128k16", zero=True, tA=False, tB=True)
        wgmma(c[0:64], r[0:8], x[0:16, 0:64], shape="m64n128k16", zero=True, tA=False, tB=True)
        c[0] = f32(a[A_map, 0])
#> error[ir-rule]: `wgmma` of u16 does not have that shape
#>   --> fail_rule_matrix_operands.py, line 13
#>  13 |         wgmma(c[0:64], a[0:64, 0:16], a[0:16, 0:64], shape="m64n128k16", zero=True, tA=False,…
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `ldmatrix` gives a thread 4, 8 or 16 bytes, not 32
#>   --> fail_rule_matrix_operands.py, line 14
#>  14 |         ldmatrix(r[0:16], a[lane, 0])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `wgmma` takes operand 2 from shared memory
#>   --> fail_rule_matrix_operands.py, line 15
#>  15 |         wgmma(c[0:64], r[0:8], r[8:16], shape="m64n128k16", zero=True, tA=False, tB=True)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `wgmma` accumulates products of f16 in f32, not in f16
#>   --> fail_rule_matrix_operands.py, line 16
#>  16 |         wgmma(h[0:64], r[0:8], b[0:16, 0:64], shape="m64n128k16", zero=True, tA=False, tB=Tru…
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `wgmma` cannot multiply f16 by bf16
#>   --> fail_rule_matrix_operands.py, line 17
#>  17 |         wgmma(c[0:64], r[0:8], x[0:16, 0:64], shape="m64n128k16", zero=True, tA=False, tB=Tru…
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `A_map` is not a value
#>   --> fail_rule_matrix_operands.py, line 18
#>  18 |         c[0] = f32(a[A_map, 0])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
