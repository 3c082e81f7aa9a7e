# test: passes run=infer_layouts
# The reduced region starts within a thread's digits, so it is read from a copy of the fragment.
ir(1, level="tile", target="sm_80", after="select_instructions")
def f(A: tensor(f32, [33, 32]), B: tensor(f32, [32])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        x = fragment(f32, [33, 32])
        sums = fragment(f32, [32])
        copy(A, x, by="simt")
        reduce(x[1:33, 16:32], sums, dims=[1], op="sum", clear=True)
        copy(sums, B, by="simt")
#> ir(1, level="tile", target="sm_80", after="infer_layouts")
#> def f(A: tensor(f32, [33, 32]), B: tensor(f32, [32])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         x = fragment(f32, [33, 32], lay=frag([33, 32], [[r(3, 4), t(16, 8)], [t(8, 1), r(4, 1)]]))
#>         sums = fragment(f32, [32], lay=[[t(32, 1)]], rep=[t(4, 32)])
#>         x_as = fragment(f32, [32, 16], lay=[[t(32, 4)], [t(4, 1), r(4, 1)]], of="x@9")
#>         x_smem = shared(f32, [33, 32], lay=[[a(33, 32)], [a(32, 1)]], of="x@9")
#>         sums_as = fragment(f32, [32], lay=[[t(32, 4)]], rep=[t(4, 1)], of="sums@9")
#>         sums_as_smem = shared(f32, [32], lay=[[a(32, 1)]], of="sums@9")
#>         copy(A, x, by="simt", vec=4, lay=frag([33, 32], [[r(3, 4), t(16, 8)], [t(8, 1), r(4, 1)]]))
#>         copy(x, x_smem, by="simt", vec=4, lay=frag([33, 32], [[r(3, 4), t(16, 8)], [t(8, 1), r(4, 1)]]))
#>         copy(x_smem[1:33, 16:32], x_as, by="simt", vec=4, lay=[[t(32, 4)], [t(4, 1), r(4, 1)]])
#>         reduce(x_as, sums_as, dims=[1], op="sum", clear=True, order=["regs", "shfl 2 1"])
#>         copy(sums_as, sums_as_smem, by="simt", vec=1, lay=[[t(32, 4)]], rep=[t(4, 1)])
#>         copy(sums_as_smem, sums, by="simt", vec=1, lay=[[t(32, 1)]], rep=[t(4, 32)])
#>         copy(sums, B, by="simt", vec=1, lay=[[t(32, 1)]])
