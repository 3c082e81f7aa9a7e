# test: passes run=vectorize
# Lanes of a vector have the same row of a table and the same test; its address is one run.
ir(1, level="thread", target="sm_80")
def f(A: tensor(f16, [64, 128])):
    with kernel("k", grid=[4, 1, 1], block=128, smem=2048) as (bx, by, bz):
        s = shared(f16, [1024], at=0)
        for v in unroll(8, vec=8):
            tap = bx * 32 + tid % 4 * 8 + v
            row = tid // 4 + tap // 384 - 1
            inside = row >= 0 and row < 64
            s[tid * 8 + v] = A[row, tap % 128] if inside else f16(0.0)
#> ir(1, level="thread", target="sm_80", after="vectorize")
#> def f(A: tensor(f16, [64, 128])):
#>     with kernel("k", grid=[4, 1, 1], block=128, smem=2048) as (bx, by, bz):
#>         s = shared(f16, [1024], at=0)
#>         s[tid * 8:tid * 8 + 8] = A[tid // 4 + (bx * 32 + tid % 4 * 8) // 384 - 1, bx * 32 + tid % 4 * 8:bx * 32 + tid % 4 * 8 + 8] if tid // 4 + (bx * 32 + tid % 4 * 8) // 384 - 1 >= 0 and tid // 4 + (bx * 32 + tid % 4 * 8) // 384 - 1 < 64 else 0.0
