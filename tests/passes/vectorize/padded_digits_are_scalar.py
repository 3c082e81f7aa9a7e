# test: passes run=vectorize
# Rows with a stride of 33 elements are not aligned, whatever a digit of one value says.
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [128])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=1056) as (bx, by, bz):
        s = shared(f32, [1, 8, 32], lay=[[a(1, 5)], [a(8, 33)], [a(32, 1)]], at=0)
        for v in unroll(4, vec=4):
            s[0, tid // 8 % 8, tid % 8 * 4 + v] = A[tid % 32 * 4 + v]
#> ir(1, level="thread", target="mp_31", after="vectorize")
#> def f(A: tensor(f32, [128])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=1056) as (bx, by, bz):
#>         s = shared(f32, [1, 8, 32], lay=[[a(1, 5)], [a(8, 33)], [a(32, 1)]], at=0)
#>         A_v = local(f32, [4])
#>         A_v[0:4] = A[tid % 32 * 4:tid % 32 * 4 + 4]
#>         for v in unroll(4):
#>             s[0, tid // 8 % 8, tid % 8 * 4 + v] = A_v[v]
