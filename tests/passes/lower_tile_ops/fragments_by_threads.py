# test: passes run=lower_tile_ops
# ldmatrix exchanges rows and columns of 2-byte elements alone: bytes whose K comes first are loaded
# by each thread.
ir(1, level="tile", target="sm_80", after="insert_barriers")
def f():
    with kernel("k", grid=[1, 1, 1], block=64, smem=2048) as bx:
        a = shared(i8, [16, 32], lay=[[a(16, 32)], [a(32, 1)]], at=0)
        b = shared(i8, [32, 32], lay=[[a(32, 32)], [a(32, 1)]], at=1024)
        c = fragment(i32, [16, 32], lay=[[r(2, 2), t(8, 4)], [t(2, 32), r(2, 4), t(4, 1), r(2, 1)]])
        gemm(a, b, c, clear=False, by="mma", inst=[16, 8, 32], warps=[1, 2])
#> ir(1, level="thread", target="sm_80", after="lower_tile_ops")
#> def f():
#>     with kernel("k", grid=[1, 1, 1], block=64, smem=2048) as bx:
#>         a = shared(i8, [16, 32], lay=[[a(16, 32)], [a(32, 1)]], at=0)
#>         b = shared(i8, [32, 32], lay=[[a(32, 32)], [a(32, 1)]], at=1024)
#>         c = local(i32, [8], of=frag([16, 32], [[r(2, 2), t(8, 4)], [t(2, 32), r(2, 4), t(4, 1), r(2, 1)]]))
#>         A_r = local(i8, [16])
#>         B_r = local(i8, [16])
#>         unit = uniform(tid // 32)
#>         ldmatrix(A_r[0:16], a[lane % 16, lane // 16 * 16])
#>         for v in unroll(2):
#>             for v_1 in unroll(4):
#>                 for v_2 in unroll(2):
#>                     B_r[v * 4 + v_1 + v_2 * 8] = b[tid % 4 * 4 + v * 16 + v_1, tid // 32 * 16 + tid // 4 % 8 + v_2 * 8]
#>         for j in unroll(2):
#>             mma(c[j * 4:j * 4 + 4], A_r[0:16], B_r[j * 8:j * 8 + 8], shape="m16n8k32")
