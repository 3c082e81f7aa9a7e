# test: passes run=vectorize
# A border that is a multiple of the width cuts no vector: all elements are inside, or none.
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [6, 120]), B: tensor(f32, [6, 120])):
    with kernel("k", grid=[1, 1, 1], block=192) as (bx, by, bz):
        x = local(f32, [4])
        for v in unroll(4, vec=4):
            x[v] = A[tid // 32, tid % 32 * 4 + v] if tid % 32 * 4 + v < 120 else 0.0
        for v in unroll(4, vec=4):
            if tid // 32 < 6 and tid % 32 * 4 + v < 120:
                B[tid // 32, tid % 32 * 4 + v] = x[v]
#> ir(1, level="thread", target="mp_31", after="vectorize")
#> def f(A: tensor(f32, [6, 120]), B: tensor(f32, [6, 120])):
#>     with kernel("k", grid=[1, 1, 1], block=192) as (bx, by, bz):
#>         x = local(f32, [4])
#>         x[0:4] = A[tid // 32, tid % 32 * 4:tid % 32 * 4 + 4] if tid % 32 * 4 < 120 else 0.0
#>         if tid // 32 < 6 and tid % 32 * 4 < 120:
#>             B[tid // 32, tid % 32 * 4:tid % 32 * 4 + 4] = x[0:4]
