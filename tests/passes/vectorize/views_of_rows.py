# test: passes run=vectorize
# Another shape of the same bytes; not if the buffer's own bytes have another layout.
ir(1, level="thread", target="sm_80")
def f(A: tensor(f16, [8, 16, 8])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=4096) as (bx, by, bz):
        flat = view(A, f16, [16, 64])
        s = shared(f16, [16, 64], at=0)
        again = view(s, f16, [1024])
        w = shared(f16, [16, 64], lay=[[a(16, 64)], [a(64, 1)]], swz=(8, 128, 7), at=2048)
        there = view(w, f16, [1024])
        for v in unroll(8, vec=8):
            again[tid * 8 + v] = flat[tid // 8, tid % 8 * 8 + v]
        for v in unroll(8, vec=8):
            there[tid * 8 + v] = flat[tid // 8, tid % 8 * 8 + v]
#> ir(1, level="thread", target="sm_80", after="vectorize")
#> def f(A: tensor(f16, [8, 16, 8])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=4096) as (bx, by, bz):
#>         flat = view(A, f16, [16, 64])
#>         s = shared(f16, [16, 64], at=0)
#>         again = view(s, f16, [1024])
#>         w = shared(f16, [16, 64], lay=[[a(16, 64)], [a(64, 1)]], swz=(8, 128, 7), at=2048)
#>         there = view(w, f16, [1024])
#>         again[tid * 8:tid * 8 + 8] = flat[tid // 8, tid % 8 * 8:tid % 8 * 8 + 8]
#>         flat_v = local(f16, [8])
#>         flat_v[0:8] = flat[tid // 8, tid % 8 * 8:tid % 8 * 8 + 8]
#>         for v in unroll(8):
#>             there[tid * 8 + v] = flat_v[v]
