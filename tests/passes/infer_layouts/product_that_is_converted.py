# test: passes run=infer_layouts
# The accumulator is copied right after the wgmma, so the wgmma completes on return.
ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
def f(A: tensor(f32, [64, 8]), C: tensor(f32, [64, 8])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f16, [64, 16], lay=[[a(64, 16)], [a(16, 1)]], swz=(16, 128, 1))
        b = shared(f16, [8, 16], lay=[[a(8, 16)], [a(16, 1)]], swz=(16, 128, 1))
        c = fragment(f32, [64, 8])
        copy(A, c)
        gemm(a, b, c, tB=True, clear=False, by="fma")
        gemm(a, b, c, tB=True, clear=False, by="wgmma", inst=[64, 8, 16], warps=[4, 1], wait=1)
        mma_wait(0)
        copy(c, C)
#> warning[layout-conversion]: `c` is redistributed through shared memory here (2048 bytes)
#>   --> product_that_is_converted.py, line 11
#>  10 |         gemm(a, b, c, tB=True, clear=False, by="fma")
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ its elements are distributed over threads for T.gemm (fma, operand C)
#>  11 |         gemm(a, b, c, tB=True, clear=False, by="wgmma", inst=[64, 8, 16], warps=[4, 1], wait=…
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: give both the same thread map with T.annotate_layout, or keep this part in shared memory
#>
#> ir(1, level="tile", target="sm_90a", after="infer_layouts", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f32, [64, 8]), C: tensor(f32, [64, 8])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         a = shared(f16, [64, 16], lay=[[a(64, 16)], [a(16, 1)]], swz=(16, 128, 1))
#>         b = shared(f16, [8, 16], lay=[[a(8, 16)], [a(16, 1)]], swz=(16, 128, 1))
#>         c = fragment(f32, [64, 8], lay=[[t(64, 2)], [t(2, 1), r(4, 1)]])
#>         c_as = fragment(f32, [64, 8], lay=[[t(4, 32), r(2, 2), t(8, 4)], [t(4, 1), r(2, 1)]], of="c@11")
#>         c_smem = shared(f32, [64, 8], lay=[[a(64, 8)], [a(8, 1)]], of="c@11")
#>         c_as_smem = shared(f32, [64, 8], lay=[[a(64, 8)], [a(8, 1)]], of="c@11")
#>         copy(A, c, vec=4, lay=[[t(64, 2)], [t(2, 1), r(4, 1)]])
#>         gemm(a, b, c, tB=True, clear=False, by="fma")
#>         copy(c, c_smem, by="simt", vec=4, lay=[[t(64, 2)], [t(2, 1), r(4, 1)]])
#>         copy(c_smem, c_as, by="simt", vec=2, lay=[[t(4, 32), r(2, 2), t(8, 4)], [t(4, 1), r(2, 1)]])
#>         gemm(a, b, c_as, tB=True, clear=False, by="wgmma", inst=[64, 8, 16], warps=[4, 1])
#>         copy(c_as, c_as_smem, by="simt", vec=2, lay=[[t(4, 32), r(2, 2), t(8, 4)], [t(4, 1), r(2, 1)]])
#>         copy(c_as_smem, c, by="simt", vec=4, lay=[[t(64, 2)], [t(2, 1), r(4, 1)]])
#>         mma_wait(0)
#>         copy(c, C, vec=4, lay=[[t(64, 2)], [t(2, 1), r(4, 1)]])
