# test: passes run=lower_tile_ops
# A left factor in the layout of the instruction is read from its registers.
ir(1, level="tile", target="sm_80", after="insert_barriers")
def f():
    with kernel("k", grid=[1, 1, 1], block=32, smem=1024) as bx:
        a = fragment(f16, [16, 32], lay=[[r(2, 2), t(8, 4)], [r(4, 4), t(4, 1), r(2, 1)]])
        b = shared(f16, [32, 16], lay=[[a(32, 16)], [a(16, 1)]], at=0)
        c = fragment(f32, [16, 16], lay=[[r(2, 2), t(8, 4)], [r(2, 4), t(4, 1), r(2, 1)]])
        gemm(a, b, c, clear=False, by="mma", inst=[16, 8, 16], warps=[1, 1])
#> ir(1, level="thread", target="sm_80", after="lower_tile_ops")
#> def f():
#>     with kernel("k", grid=[1, 1, 1], block=32, smem=1024) as bx:
#>         a = local(f16, [16], of=frag([16, 32], [[r(2, 2), t(8, 4)], [r(4, 4), t(4, 1), r(2, 1)]]))
#>         b = shared(f16, [32, 16], lay=[[a(32, 16)], [a(16, 1)]], at=0)
#>         c = local(f32, [8], of=frag([16, 16], [[r(2, 2), t(8, 4)], [r(2, 4), t(4, 1), r(2, 1)]]))
#>         for k in unroll(2):
#>             B_r = local(f16, [8])
#>             ldmatrix(B_r[0:8], b[k * 16 + lane % 16, lane // 16 * 8], trans=True)
#>             for j in unroll(2):
#>                 mma(c[j * 4:j * 4 + 4], a[k * 8:k * 8 + 8], B_r[j * 4:j * 4 + 4], shape="m16n8k16")
