# test: passes run=vectorize
# Four at once; a tail splits; what is computed goes through registers; those with a result are kept.
ir(1, level="thread", target="sm_90a")
def f(A: tensor(f32, [64, 64]), B: tensor(f32, [n]), *, n: dim(i32)):
    bind(n, B, 0)
    with kernel("k", grid=[1, 1, 1], block=128, smem=2048) as (bx, by, bz):
        s = shared(f32, [512], at=0)
        c = local(f32, [4])
        for v in unroll(4, vec=4):
            atomic_add(A[tid // 16, tid % 16 * 4 + v], c[v], order="relaxed")
        for v in unroll(4, vec=4):
            if tid * 4 + v < n:
                atomic_add(B[tid * 4 + v], s[tid * 4 + v], order="relaxed")
        for v in unroll(4, vec=4):
            atomic_add(A[tid // 16, tid % 16 * 4 + v], exp(s[tid * 4 + v]), order="relaxed")
        for v in unroll(4, vec=4):
            c[v] = 0.0
            old = atomic_add(A[tid // 16, tid % 16 * 4 + v], 1.0, order="relaxed")
#> ir(1, level="thread", target="sm_90a", after="vectorize")
#> def f(A: tensor(f32, [64, 64]), B: tensor(f32, [n]), *, n: dim(i32, 0, 2147418112)):
#>     bind(n, B, 0)
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=2048) as (bx, by, bz):
#>         s = shared(f32, [512], at=0)
#>         c = local(f32, [4])
#>         atomic_add(A[tid // 16, tid % 16 * 4:tid % 16 * 4 + 4], c[0:4], order="relaxed")
#>         if tid * 4 + 4 <= n:
#>             atomic_add(B[tid * 4:tid * 4 + 4], s[tid * 4:tid * 4 + 4], order="relaxed")
#>         else:
#>             for v in unroll(4):
#>                 if tid * 4 + v < n:
#>                     atomic_add(B[tid * 4 + v], s[tid * 4 + v], order="relaxed")
#>         A_v = local(f32, [4])
#>         s_v = local(f32, [4])
#>         s_v[0:4] = s[tid * 4:tid * 4 + 4]
#>         for v in unroll(4):
#>             A_v[v] = exp(s_v[v])
#>         atomic_add(A[tid // 16, tid % 16 * 4:tid % 16 * 4 + 4], A_v[0:4], order="relaxed")
#>         for v in unroll(4):
#>             c[v] = 0.0
#>             old = atomic_add(A[tid // 16, tid % 16 * 4 + v], 1.0, order="relaxed")
