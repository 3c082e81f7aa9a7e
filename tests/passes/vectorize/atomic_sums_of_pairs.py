# test: passes run=vectorize
# A word of sm_80 has two f16: loops of more are rounds of two where they are so wide already; f32 stay scalar.
ir(1, level="thread", target="sm_80")
def f(A: tensor(f16, [64, 64]), B: tensor(f32, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=2048) as (bx, by, bz):
        c = local(f16, [4])
        s = shared(f16, [512], at=0)
        for v in unroll(2, vec=2):
            atomic_add(A[tid // 32, tid % 32 * 2 + v], c[v], order="relaxed")
        for v in unroll(4, vec=4):
            atomic_add(A[tid // 16, tid % 16 * 4 + v], s[tid * 4 + v], order="relaxed")
        for v in vec(4):
            atomic_add(A[tid // 16, tid % 16 * 4 + v], s[tid * 4 + v], order="relaxed")
        for v in unroll(2, vec=2):
            atomic_add(B[tid // 32, tid % 32 * 2 + v], f32(c[v]), order="relaxed")
        for v in unroll(2, vec=2):
            atomic_add(s[tid * 2 + v], c[v], order="relaxed")
        for v in unroll(2, vec=2):
            atomic_max(A[tid // 32, tid % 32 * 2 + v], c[v], order="relaxed")
#> ir(1, level="thread", target="sm_80", after="vectorize")
#> def f(A: tensor(f16, [64, 64]), B: tensor(f32, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=2048) as (bx, by, bz):
#>         c = local(f16, [4])
#>         s = shared(f16, [512], at=0)
#>         atomic_add(A[tid // 32, tid % 32 * 2:tid % 32 * 2 + 2], c[0:2], order="relaxed")
#>         for v_1 in unroll(2):
#>             atomic_add(A[tid // 16, tid % 16 * 4 + v_1 * 2:tid % 16 * 4 + v_1 * 2 + 2], s[tid * 4 + v_1 * 2:tid * 4 + v_1 * 2 + 2], order="relaxed")
#>         for v_3 in vec(2):
#>             atomic_add(A[tid // 16, tid % 16 * 4 + v_3 * 2:tid % 16 * 4 + v_3 * 2 + 2], s[tid * 4 + v_3 * 2:tid * 4 + v_3 * 2 + 2], order="relaxed")
#>         for v in unroll(2):
#>             atomic_add(B[tid // 32, tid % 32 * 2 + v], f32(c[v]), order="relaxed")
#>         for v in unroll(2):
#>             atomic_add(s[tid * 2 + v], c[v], order="relaxed")
#>         for v in unroll(2):
#>             atomic_max(A[tid // 32, tid % 32 * 2 + v], c[v], order="relaxed")
