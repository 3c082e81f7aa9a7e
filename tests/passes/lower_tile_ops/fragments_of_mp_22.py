# test: passes run=lower_tile_ops
# One warp of 128 lanes; neighbors along K share a register, and are marked for vectors where
# they are neighbours in memory.
ir(1, level="tile", target="mp_22", after="insert_barriers")
def f():
    with kernel("k", grid=[1, 1, 1], block=128, smem=4096) as bx:
        a = shared(f16, [32, 32], lay=[[a(32, 32)], [a(32, 1)]], at=0)
        b = shared(f16, [32, 32], lay=[[a(32, 32)], [a(32, 1)]], at=2048)
        c = fragment(f32, [32, 32], lay=[[r(4, 2), t(2, 64), t(4, 8)], [r(2, 1), t(2, 32), t(8, 1)]])
        gemm(a, b, c, clear=False, by="mma_mp22", inst=[32, 32, 16], warps=[1, 1])
#> ir(1, level="thread", target="mp_22", after="lower_tile_ops")
#> def f():
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=4096) as bx:
#>         a = shared(f16, [32, 32], lay=[[a(32, 32)], [a(32, 1)]], at=0)
#>         b = shared(f16, [32, 32], lay=[[a(32, 32)], [a(32, 1)]], at=2048)
#>         c = local(f32, [8], of=frag([32, 32], [[r(4, 2), t(2, 64), t(4, 8)], [r(2, 1), t(2, 32), t(8, 1)]]))
#>         for k in unroll(2):
#>             A_r = local(f16, [4])
#>             B_r = local(f16, [4])
#>             for v in unroll(2):
#>                 for v_1 in unroll(2, vec=2):
#>                     A_r[v * 2 + v_1] = a[tid // 4 % 16 + v * 16, k * 16 + tid // 64 * 8 + tid % 4 * 2 + v_1]
#>             for v in unroll(2):
#>                 for v_1 in unroll(2):
#>                     B_r[v + v_1 * 2] = b[k * 16 + tid // 64 * 8 + tid % 4 * 2 + v, tid // 4 % 16 + v_1 * 16]
#>             mma(c[0:8], A_r[0:4], B_r[0:4], shape="m32n32k16")
