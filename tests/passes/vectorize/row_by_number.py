# test: passes run=vectorize
# The load of an index is not vectorized: rows whose index is in memory are read 16 bytes at a time.
ir(1, level="thread", target="mp_31", after="allocate_barriers")
def f(A: tensor(f16, [64, 64]), I: tensor(i32, [16]), B: tensor(f16, [16, 64])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=0) as bx:
        k = local(i32, [1])
        k[0] = I[tid // 8]
        for v in vec(0, 8):
            B[tid // 8, tid % 8 * 8 + v] = A[k[0], tid % 8 * 8 + v] if 0 <= k[0] and k[0] < 64 else f16(0.0)
#> ir(1, level="thread", target="mp_31", after="vectorize")
#> def f(A: tensor(f16, [64, 64]), I: tensor(i32, [16]), B: tensor(f16, [16, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=0) as bx:
#>         k = local(i32, [1])
#>         k[0] = I[tid // 8]
#>         B[tid // 8, tid % 8 * 8:tid % 8 * 8 + 8] = A[k[0], tid % 8 * 8:tid % 8 * 8 + 8] if 0 <= k[0] and k[0] < 64 else 0.0
