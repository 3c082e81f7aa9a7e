# test: passes run=infer_layouts
# The source's point is a dimension of one element, which `dims` counts. Workspaces are the pass's own.
ir(1, level="tile", target="mp_31", after="select_instructions")
def f(A: tensor(f32, [8, 128])):
    with kernel("k", grid=[1, 1, 1], block=128) as bx:
        x = fragment(f32, [8, 128])
        m = fragment(f32, [8])
        reduce(x[0:8, 0], m, dims=[1], op="max", clear=True, ws=A)
#> ir(1, level="tile", target="mp_31", after="infer_layouts")
#> def f(A: tensor(f32, [8, 128])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as bx:
#>         x = fragment(f32, [8, 128], lay=[[r(2, 4), t(4, 32)], [t(32, 1), r(4, 1)]])
#>         m = fragment(f32, [8], lay=[[t(8, 1)]], rep=[t(16, 8)])
#>         x_as = fragment(f32, [8, 1], lay=[[t(8, 1)], []], rep=[t(16, 8)], of="x@8")
#>         x_smem = shared(f32, [8], lay=[[a(8, 1)]], of="x@8")
#>         copy(x[0:8, 0], x_smem, by="simt", vec=1, lay=[[r(2, 4), t(4, 32)]])
#>         copy(x_smem, x_as, by="simt", vec=1, lay=[[t(8, 1)]], rep=[t(16, 8)])
#>         reduce(x_as, m, dims=[1], op="max", clear=True, order=["regs"])
