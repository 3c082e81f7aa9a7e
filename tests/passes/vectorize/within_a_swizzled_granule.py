# test: passes run=vectorize
# A swizzle moves granules of 16 bytes: 8 f16 stay adjacent.
ir(1, level="thread", target="mp_31")
def f(A: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=2048) as (bx, by, bz):
        s = shared(f16, [16, 64], lay=[[a(16, 64)], [a(64, 1)]], swz=(16, 128, 7), at=0)
        for v in unroll(8, vec=8):
            s[tid // 8, tid % 8 * 8 + v] = A[tid // 8, tid % 8 * 8 + v]
#> ir(1, level="thread", target="mp_31", after="vectorize")
#> def f(A: tensor(f16, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=2048) as (bx, by, bz):
#>         s = shared(f16, [16, 64], lay=[[a(16, 64)], [a(64, 1)]], swz=(16, 128, 7), at=0)
#>         s[tid // 8, tid % 8 * 8:tid % 8 * 8 + 8] = A[tid // 8, tid % 8 * 8:tid % 8 * 8 + 8]
