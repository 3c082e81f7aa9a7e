# test: passes run=vectorize
# Granules of 8 bytes: 8 f16 are split, so the stores stay scalar.
ir(1, level="thread", target="mp_31")
def f(A: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=2048) as (bx, by, bz):
        s = shared(f16, [16, 64], lay=[[a(16, 64)], [a(64, 1)]], swz=(8, 128, 7), at=0)
        for v in unroll(8, vec=8):
            s[tid // 8, tid % 8 * 8 + v] = A[tid // 8, tid % 8 * 8 + v]
#> ir(1, level="thread", target="mp_31", after="vectorize")
#> def f(A: tensor(f16, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=2048) as (bx, by, bz):
#>         s = shared(f16, [16, 64], lay=[[a(16, 64)], [a(64, 1)]], swz=(8, 128, 7), at=0)
#>         A_v = local(f16, [8])
#>         A_v[0:8] = A[tid // 8, tid % 8 * 8:tid % 8 * 8 + 8]
#>         for v in unroll(8):
#>             s[tid // 8, tid % 8 * 8 + v] = A_v[v]
