# test: passes run=lower_tile_ops
# A target without the instructions, whose warps are two or more groups of 32 lanes: each lane gets its operands from the lanes that hold them.
ir(1, level="tile", target="mp_22", after="insert_barriers", configs={"tilelab.hardware_units": False})
def f(C: tensor(f64, [32, 4])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=1024) as bx:
        s = shared(f32, [8, 8], lay=[[a(8, 8)], [a(8, 1)]], at=0)
        a = local(f64, [1])
        b = local(f64, [1])
        c = local(f64, [2])
        r = local(f32, [2])
        ldmatrix(r[0:2], s[tid % 8, tid // 8 % 2 * 4:tid // 8 % 2 * 4 + 4])
        mma(c[0:2], a[0:1], b[0:1], shape="m8n8k4")
#> ir(1, level="thread", target="mp_22", after="lower_tile_ops", configs={"tilelab.hardware_units": False})
#> def f(C: tensor(f64, [32, 4])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=1024) as bx:
#>         s = shared(f32, [8, 8], lay=[[a(8, 8)], [a(8, 1)]], at=0)
#>         a = local(f64, [1])
#>         b = local(f64, [1])
#>         c = local(f64, [2])
#>         r = local(f32, [2])
#>         r[0] = s[shfl(tid % 8, lane - lane % 32 + lane // 4 % 8), shfl(tid // 8 % 2 * 4, lane - lane % 32 + lane // 4 % 8) + lane % 4]
#>         r[1] = s[shfl(tid % 8, lane - lane % 32 + lane // 4 % 8 + 8), shfl(tid // 8 % 2 * 4, lane - lane % 32 + lane // 4 % 8 + 8) + lane % 4]
#>         c[0] = fma(shfl(a[0], lane - lane % 32 + lane // 4 % 8 * 4 + 3), shfl(b[0], lane - lane % 32 + lane % 4 * 8 + 3), fma(shfl(a[0], lane - lane % 32 + lane // 4 % 8 * 4 + 2), shfl(b[0], lane - lane % 32 + lane % 4 * 8 + 2), fma(shfl(a[0], lane - lane % 32 + lane // 4 % 8 * 4 + 1), shfl(b[0], lane - lane % 32 + lane % 4 * 8 + 1), fma(shfl(a[0], lane - lane % 32 + lane // 4 % 8 * 4), shfl(b[0], lane - lane % 32 + lane % 4 * 8), c[0]))))
#>         c[1] = fma(shfl(a[0], lane - lane % 32 + lane // 4 % 8 * 4 + 3), shfl(b[0], lane - lane % 32 + lane % 4 * 8 + 7), fma(shfl(a[0], lane - lane % 32 + lane // 4 % 8 * 4 + 2), shfl(b[0], lane - lane % 32 + lane % 4 * 8 + 6), fma(shfl(a[0], lane - lane % 32 + lane // 4 % 8 * 4 + 1), shfl(b[0], lane - lane % 32 + lane % 4 * 8 + 5), fma(shfl(a[0], lane - lane % 32 + lane // 4 % 8 * 4), shfl(b[0], lane - lane % 32 + lane % 4 * 8 + 4), c[1]))))
