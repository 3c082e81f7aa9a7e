# test: passes run=lower_tile_ops
# Loops are called like nothing that is declared outside, whether the kernel uses it or not.
ir(1, level="tile", target="mp_31", after="insert_barriers")
def f(A: tensor(f16, [32, 32]), v: tensor(f16, [32, 32]), i: i32):
    with kernel("k", grid=[1, 1, 1], block=128, smem=2048) as (k, by, bz):
        a = shared(f16, [32, 32], lay=[[a(32, 32)], [a(32, 1)]], at=0)
        c = fragment(f32, [32, 32], lay=[[r(2, 4), t(16, 8)], [t(8, 1), r(4, 1)]])
        fill(c, 0.0, lay=[[r(2, 4), t(16, 8)], [t(8, 1), r(4, 1)]])
        gemm(a, a, c, by="fma")
#> ir(1, level="thread", target="mp_31", after="lower_tile_ops")
#> def f(A: tensor(f16, [32, 32]), v: tensor(f16, [32, 32]), i: i32):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=2048) as (k, by, bz):
#>         a = shared(f16, [32, 32], lay=[[a(32, 32)], [a(32, 1)]], at=0)
#>         c = local(f32, [8], of=frag([32, 32], [[r(2, 4), t(16, 8)], [t(8, 1), r(4, 1)]]))
#>         for v_1 in unroll(2):
#>             for v_2 in unroll(4):
#>                 c[v_1 * 4 + v_2] = 0.0
#>         for k_1 in serial(32):
#>             for i_1 in unroll(2):
#>                 for j in unroll(4):
#>                     c[i_1 * 4 + j] = fma(f32(a[tid // 8 + i_1 * 16, k_1]), f32(a[k_1, tid % 8 * 4 + j]), c[i_1 * 4 + j])
