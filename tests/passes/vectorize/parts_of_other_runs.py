# test: passes run=vectorize
# Rows of 12: a vector of 8 spans two.
ir(1, level="thread", target="sm_80")
def f(A: tensor(f16, [128, 16])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=2048) as (bx, by, bz):
        s = shared(f16, [1024], at=0)
        for v in unroll(8, vec=8):
            row = (tid * 8 + v) // 12
            s[tid * 8 + v] = A[row, (tid * 8 + v) % 12]
#> ir(1, level="thread", target="sm_80", after="vectorize")
#> def f(A: tensor(f16, [128, 16])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=2048) as (bx, by, bz):
#>         s = shared(f16, [1024], at=0)
#>         s_v = local(f16, [8])
#>         for v in unroll(8):
#>             s_v[v] = A[(tid * 8 + v) // 12, (tid * 8 + v) % 12]
#>         s[tid * 8:tid * 8 + 8] = s_v[0:8]
