# test: passes run=lower_tile_ops
# Sums and factors as the instructions do not have them, reductions that miss something.
ir(1, level="tile", target="sm_80", after="insert_barriers")
def f(A: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=64, smem=16384) as bx:
        a = shared(f16, [32, 32], lay=[[a(32, 32)], [a(32, 1)]], at=0)
        b = shared(f16, [32, 32], lay=[[a(32, 32)], [a(32, 1)]], at=2048)
        c = fragment(f32, [32, 32], lay=[[t(2, 32), r(16, 32)], [t(32, 1)]])
        d = local(f32, [32, 32])
        e = local(f32, [4, 1, 8])
        g = local(f32, [4])
        s = fragment(f32, [32], lay=[[t(2, 32), r(16, 1)]], rep=[t(32, 1)])
        r = fragment(f32, [32], lay=[[r(32, 1)]], rep=[t(64, 1)])
        gemm(a, b, c, by="mma", inst=[16, 8, 16], warps=[2, 1])
        gemm(a, b, d, by="mma", inst=[16, 8, 16], warps=[2, 1])
        reduce(c, r, dims=[0], op="sum", clear=True)
        reduce(e, g, dims=[2], op="sum", clear=True)
#> error[pass-not-built]: lower_tile_ops cannot lower a gemm by mma whose accumulator does not have the layout of the instruction yet
#>   --> fail_gemm_operands.py, line 14
#>  14 |         gemm(a, b, c, by="mma", inst=[16, 8, 16], warps=[2, 1])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write the text at the next lower level, or use another form of the operation
#>
#> error[pass-not-built]: lower_tile_ops cannot lower a gemm by mma whose accumulator is not a fragment yet
#>   --> fail_gemm_operands.py, line 15
#>  15 |         gemm(a, b, d, by="mma", inst=[16, 8, 16], warps=[2, 1])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write the text at the next lower level, or use another form of the operation
#>
#> error[pass-not-built]: lower_tile_ops cannot lower a reduction over several warps without a workspace yet
#>   --> fail_gemm_operands.py, line 16
#>  16 |         reduce(c, r, dims=[0], op="sum", clear=True)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write the text at the next lower level, or use another form of the operation
#>
#> error[pass-not-built]: lower_tile_ops cannot lower a reduction of private memory into that of another shape yet
#>   --> fail_gemm_operands.py, line 17
#>  17 |         reduce(e, g, dims=[2], op="sum", clear=True)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write the text at the next lower level, or use another form of the operation
