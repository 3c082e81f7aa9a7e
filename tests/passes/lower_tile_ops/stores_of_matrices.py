# test: passes run=lower_tile_ops
# The result of a matmul is stored to 16-byte rows, four matrices at a time, with warp barriers around it
# outside of a ring; where rows are not aligned, or elements wider, threads store.
ir(1, level="tile", target="sm_90a", after="insert_barriers")
def f(Y: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=40960) as bx:
        c = fragment(f32, [64, 64], lay=[[t(4, 32), r(2, 2), t(8, 4)], [r(8, 4), t(4, 1), r(2, 1)]])
        d = fragment(f32, [32, 32], lay=[[t(4, 32), t(8, 4)], [r(4, 2), t(4, 1), r(2, 1)]])
        s = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), at=0)
        p = shared(f16, [64, 64], lay=[[a(64, 68)], [a(64, 1)]], at=8192)
        w = shared(f32, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], at=17408)
        e = shared(f16, [32, 32], lay=[[a(32, 32)], [a(32, 1)]], at=36864)
        fill(c[0:64, 0:64], 0.0, lay=[[t(4, 32), r(2, 2), t(8, 4)], [r(8, 4), t(4, 1), r(2, 1)]])
        fill(d[0:32, 0:32], 0.0, lay=[[t(4, 32), t(8, 4)], [r(4, 2), t(4, 1), r(2, 1)]])
        copy(c[0:64, 0:64], s[0:64, 0:64], by="simt", vec=2, lay=[[t(4, 32), r(2, 2), t(8, 4)], [r(8, 4), t(4, 1), r(2, 1)]])
        copy(c[0:64, 0:64], p[0:64, 0:64], by="simt", vec=2, lay=[[t(4, 32), r(2, 2), t(8, 4)], [r(8, 4), t(4, 1), r(2, 1)]])
        copy(c[0:64, 0:64], w[0:64, 0:64], by="simt", vec=2, lay=[[t(4, 32), r(2, 2), t(8, 4)], [r(8, 4), t(4, 1), r(2, 1)]])
        copy(d[0:32, 0:32], e[0:32, 0:32], by="simt", vec=2, lay=[[t(4, 32), t(8, 4)], [r(4, 2), t(4, 1), r(2, 1)]])
        block_sync()
        copy(s[0:64, 0:64], Y[0:64, 0:64], by="simt", lay=[[t(64, 1)], [r(64, 1)]])
#> ir(1, level="thread", target="sm_90a", after="lower_tile_ops")
#> def f(Y: tensor(f16, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=40960) as bx:
#>         c = local(f32, [32], of=frag([64, 64], [[t(4, 32), r(2, 2), t(8, 4)], [r(8, 4), t(4, 1), r(2, 1)]]))
#>         d = local(f32, [8], of=frag([32, 32], [[t(4, 32), t(8, 4)], [r(4, 2), t(4, 1), r(2, 1)]]))
#>         s = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), at=0)
#>         p = shared(f16, [64, 64], lay=[[a(64, 68)], [a(64, 1)]], at=8192)
#>         w = shared(f32, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], at=17408)
#>         e = shared(f16, [32, 32], lay=[[a(32, 32)], [a(32, 1)]], at=36864)
#>         for v in unroll(2):
#>             for v_1 in unroll(8):
#>                 for v_2 in unroll(2):
#>                     c[v * 2 + v_1 * 4 + v_2] = 0.0
#>         for v in unroll(4):
#>             for v_1 in unroll(2):
#>                 d[v * 2 + v_1] = 0.0
#>         warp_sync()
#>         for v in unroll(4):
#>             matrices = local(f16, [8])
#>             for v_1 in unroll(2):
#>                 for v_2 in unroll(2):
#>                     for v_3 in unroll(2, vec=2):
#>                         matrices[v_1 * 2 + v_2 * 4 + v_3] = f16(c[v_1 * 2 + (v * 2 + v_2) * 4 + v_3])
#>             stmatrix(s[tid // 32 * 16 + tid // 8 % 2 * 8 + tid % 8, tid // 16 % 2 * 8 + v * 16], matrices[0:8])
#>         warp_sync()
#>         for v in unroll(2):
#>             for v_1 in unroll(8):
#>                 for v_2 in unroll(2, vec=2):
#>                     p[tid // 32 * 16 + tid // 4 % 8 + v * 8, tid % 4 * 2 + v_1 * 8 + v_2] = f16(c[v * 2 + v_1 * 4 + v_2])
#>         for v in unroll(2):
#>             for v_1 in unroll(8):
#>                 for v_2 in unroll(2, vec=2):
#>                     w[tid // 32 * 16 + tid // 4 % 8 + v * 8, tid % 4 * 2 + v_1 * 8 + v_2] = c[v * 2 + v_1 * 4 + v_2]
#>         warp_sync()
#>         matrices_1 = local(f16, [8])
#>         for v in unroll(4):
#>             for v_1 in unroll(2, vec=2):
#>                 matrices_1[v * 2 + v_1] = f16(d[v * 2 + v_1])
#>         stmatrix(e[tid // 32 * 8 + tid % 8, tid // 8 % 4 * 8], matrices_1[0:8])
#>         warp_sync()
#>         block_sync()
#>         for v in unroll(64):
#>             if tid < 64:
#>                 Y[tid, v] = s[tid, v]
