# test: passes run=lower_tile_ops
# The instruction where a row is 16 contiguous bytes, named by its first element; where rows are not, loads and shuffles of the row's indices.
ir(1, level="tile", target="sm_80", after="insert_barriers", configs={"tilelab.hardware_units": False})
def f(C: tensor(f32, [32, 4])):
    with kernel("k", grid=[1, 1, 1], block=32, smem=2048) as bx:
        s = shared(f16, [16, 16], lay=[[a(16, 16)], [a(16, 1)]], at=0)
        t = shared(f16, [16, 16], lay=[[a(16, 1)], [a(16, 16)]], at=512)
        a = local(f16, [8])
        b = local(f16, [4])
        c = local(f32, [4])
        ldmatrix(a[0:8], s[tid % 16, tid // 16 * 8:tid // 16 * 8 + 8])
        ldmatrix(b[0:2], t[tid % 8, 0:8], trans=True)
        ldmatrix(b[2:4], s[tid % 8, tid:tid + 8])
        mma(c[0:4], a[0:8], b[0:4], shape="m16n8k16")
#> ir(1, level="thread", target="sm_80", after="lower_tile_ops", configs={"tilelab.hardware_units": False})
#> def f(C: tensor(f32, [32, 4])):
#>     with kernel("k", grid=[1, 1, 1], block=32, smem=2048) as bx:
#>         s = shared(f16, [16, 16], lay=[[a(16, 16)], [a(16, 1)]], at=0)
#>         t = shared(f16, [16, 16], lay=[[a(16, 1)], [a(16, 16)]], at=512)
#>         a = local(f16, [8])
#>         b = local(f16, [4])
#>         c = local(f32, [4])
#>         ldmatrix(a[0:8], s[tid % 16, tid // 16 * 8])
#>         b[0] = t[shfl(tid % 8, lane % 4 * 2), lane // 4]
#>         b[1] = t[shfl(tid % 8, lane % 4 * 2 + 1), lane // 4]
#>         b[2] = s[shfl(tid % 8, lane // 4), shfl(tid, lane // 4) + lane % 4 * 2]
#>         b[3] = s[shfl(tid % 8, lane // 4), shfl(tid, lane // 4) + lane % 4 * 2 + 1]
#>         mma(c[0:4], a[0:8], b[0:4], shape="m16n8k16")
