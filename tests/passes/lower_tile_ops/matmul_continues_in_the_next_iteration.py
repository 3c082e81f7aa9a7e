# test: passes run=lower_tile_ops
# The last step of an iteration's matmul runs in the next iteration, after the loads of its first fragments;
# the second loop touches the accumulator between iterations, and its matmul completes in its iteration.
ir(1, level="tile", target="sm_80", after="insert_barriers")
def f(B: tensor(f32, [16, 16])):
    with kernel("k", grid=[1, 1, 1], block=32, smem=4096) as bx:
        r = ring(2, fill="group", producer="main", consumer="main")
        s = shared(f16, [2, 16, 32], lay=[[a(2, 512)], [a(16, 32)], [a(32, 1)]], at=0, ring=r)
        t = shared(f16, [16, 32], lay=[[a(16, 32)], [a(32, 1)]], at=2048)
        c = fragment(f32, [16, 16], lay=[[r(2, 2), t(8, 4)], [r(2, 4), t(4, 1), r(2, 1)]])
        for k in serial(10):
            u = ring_wait(r)
            gemm(s[u], t, c, clear=False, tB=True, by="mma", inst=[16, 8, 16], warps=[1, 1])
            w = ring_acquire(r)
            ring_commit(r)
            ring_release(r)
        for k in serial(10):
            u = ring_wait(r)
            gemm(s[u], t, c, clear=False, tB=True, by="mma", inst=[16, 8, 16], warps=[1, 1])
            copy(c, B, by="simt", lay=[[r(2, 2), t(8, 4)], [r(2, 4), t(4, 1), r(2, 1)]])
            w = ring_acquire(r)
            ring_commit(r)
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
#>             ldmatrix(A_r[0:8], s[u, lane % 16, lane // 16 * 8])
#>             ldmatrix(B_r[0:8], t[lane % 8 + lane // 16 * 8, lane // 8 % 2 * 8])
#>             for j in unroll(2):
#>                 mma(c[j * 4:j * 4 + 4], A_r[8:16], B_r[8 + j * 4:8 + j * 4 + 4], shape="m16n8k16")
#>             ldmatrix(A_r[8:16], s[u, lane % 16, 16 + lane // 16 * 8])
#>             ldmatrix(B_r[8:16], t[lane % 8 + lane // 16 * 8, 16 + lane // 8 % 2 * 8])
#>             for j in unroll(2):
#>                 mma(c[j * 4:j * 4 + 4], A_r[0:8], B_r[j * 4:j * 4 + 4], shape="m16n8k16")
#>             w = r_in
#>             cp_commit()
#>             r_in = r_in ^ 1
#>             r_out = r_out ^ 1
#>         for j in unroll(2):
#>             mma(c[j * 4:j * 4 + 4], A_r[8:16], B_r[8 + j * 4:8 + j * 4 + 4], shape="m16n8k16")
#>         for k in serial(10):
#>             u = r_out
#>             cp_wait(0)
#>             block_sync()
#>             for k_1 in unroll(2):
#>                 A_r_1 = local(f16, [8])
#>                 B_r_1 = local(f16, [8])
#>                 ldmatrix(A_r_1[0:8], s[u, lane % 16, k_1 * 16 + lane // 16 * 8])
#>                 ldmatrix(B_r_1[0:8], t[lane % 8 + lane // 16 * 8, k_1 * 16 + lane // 8 % 2 * 8])
#>                 for j in unroll(2):
#>                     mma(c[j * 4:j * 4 + 4], A_r_1[0:8], B_r_1[j * 4:j * 4 + 4], shape="m16n8k16")
#>             for v in unroll(2):
#>                 for v_1 in unroll(2):
#>                     for v_2 in unroll(2):
#>                         B[tid // 4 + v * 8, tid % 4 * 2 + v_1 * 8 + v_2] = c[v * 2 + v_1 * 4 + v_2]
#>             w = r_in
#>             cp_commit()
#>             r_in = r_in ^ 1
#>             r_out = r_out ^ 1
