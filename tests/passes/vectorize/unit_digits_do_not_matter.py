# test: passes run=vectorize
# A digit of one value moves nothing.
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [128])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=1024) as (bx, by, bz):
        s = shared(f32, [1, 8, 32], lay=[[a(1, 5)], [a(8, 32)], [a(32, 1), a(1, 7)]], at=0)
        for v in unroll(4, vec=4):
            s[0, tid // 8 % 8, tid % 8 * 4 + v] = A[tid % 32 * 4 + v]
#> ir(1, level="thread", target="mp_31", after="vectorize")
#> def f(A: tensor(f32, [128])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=1024) as (bx, by, bz):
#>         s = shared(f32, [1, 8, 32], lay=[[a(1, 5)], [a(8, 32)], [a(32, 1), a(1, 7)]], at=0)
#>         s[0, tid // 8 % 8, tid % 8 * 4:tid % 8 * 4 + 4] = A[tid % 32 * 4:tid % 32 * 4 + 4]
