# test: passes run=lower_tile_ops
# A matmul moves before the copies for later iterations, but not before the definition of its slot.
ir(1, level="tile", target="sm_80", after="insert_barriers")
def f(B: tensor(f32, [16, 16])):
    with kernel("k", grid=[1, 1, 1], block=32, smem=4096) as bx:
        r = ring(2, fill="group", producer="main", consumer="main")
        s = shared(f16, [2, 16, 32], lay=[[a(2, 512)], [a(16, 32)], [a(32, 1)]], at=0, ring=r)
        t = shared(f16, [16, 32], lay=[[a(16, 32)], [a(32, 1)]], at=2048)
        c = fragment(f32, [16, 16], lay=[[r(2, 2), t(8, 4)], [r(2, 4), t(4, 1), r(2, 1)]])
        for k in serial(10):
            u = ring_wait(r)
            w = ring_acquire(r)
            ring_commit(r)
            gemm(s[w], t, c, clear=False, tB=True, by="mma", inst=[16, 8, 16], warps=[1, 1])
            ring_release(r)
#> ir(1, level="thread", target="sm_80", after="lower_tile_ops")
#> def f(B: tensor(f32, [16, 16])):
#>     with kernel("k", grid=[1, 1, 1], block=32, smem=4096) as bx:
#>         s = shared(f16, [2, 16, 32], lay=[[a(2, 512)], [a(16, 32)], [a(32, 1)]], at=0)
#>         t = shared(f16, [16, 32], lay=[[a(16, 32)], [a(32, 1)]], at=2048)
#>         c = local(f32, [8], of=frag([16, 16], [[r(2, 2), t(8, 4)], [r(2, 4), t(4, 1), r(2, 1)]]))
#>         A_r = local(f16, [16])
#>         B_r = local(f16, [16])
#>         r_out = var(i32, 0)
#>         r_in = var(i32, 0)
#>         for i in unroll(8):
#>             A_r[8 + i] = 0.0
#>         for i in unroll(8):
#>             B_r[8 + i] = 0.0
#>         for k in serial(10):
#>             u = r_out
#>             cp_wait(0)
#>             block_sync()
#>             w = r_in
#>             ldmatrix(A_r[0:8], s[w, lane % 16, lane // 16 * 8])
#>             ldmatrix(B_r[0:8], t[lane % 8 + lane // 16 * 8, lane // 8 % 2 * 8])
#>             for j in unroll(2):
#>                 mma(c[j * 4:j * 4 + 4], A_r[8:16], B_r[8 + j * 4:8 + j * 4 + 4], shape="m16n8k16")
#>             ldmatrix(A_r[8:16], s[w, lane % 16, 16 + lane // 16 * 8])
#>             ldmatrix(B_r[8:16], t[lane % 8 + lane // 16 * 8, 16 + lane // 8 % 2 * 8])
#>             for j in unroll(2):
#>                 mma(c[j * 4:j * 4 + 4], A_r[0:8], B_r[j * 4:j * 4 + 4], shape="m16n8k16")
#>             cp_commit()
#>             r_in = r_in ^ 1
#>             r_out = r_out ^ 1
#>         for j in unroll(2):
#>             mma(c[j * 4:j * 4 + 4], A_r[8:16], B_r[8 + j * 4:8 + j * 4 + 4], shape="m16n8k16")
