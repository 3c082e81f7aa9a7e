# test: passes run=vectorize
# T.vectorized: as wide as its types allow; iterations that depend on a previous one keep their order.
ir(1, level="thread", target="mp_31")
def f(A: tensor(f16, [64, 64]), B: tensor(f32, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=2048) as (bx, by, bz):
        c = local(f32, [8])
        for v in vec(8):
            c[v] = f32(A[tid // 8, tid % 8 * 8 + v])
        for v in vec(8):
            B[tid // 8, tid % 8 * 8 + v] = c[v]
        for v in vec(7):
            B[tid, v + 1] = B[tid, v] + 1.0
#> ir(1, level="thread", target="mp_31", after="vectorize")
#> def f(A: tensor(f16, [64, 64]), B: tensor(f32, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=2048) as (bx, by, bz):
#>         c = local(f32, [8])
#>         for v_1 in vec(2):
#>             c[v_1 * 4:v_1 * 4 + 4] = f32(A[tid // 8, tid % 8 * 8 + v_1 * 4:tid % 8 * 8 + v_1 * 4 + 4])
#>         for v_3 in vec(2):
#>             B[tid // 8, tid % 8 * 8 + v_3 * 4:tid % 8 * 8 + v_3 * 4 + 4] = c[v_3 * 4:v_3 * 4 + 4]
#>         for v in vec(7):
#>             B[tid, v + 1] = B[tid, v] + 1.0
