# test: passes run=lower_tile_ops
# A product sees what asynchronous copies have written without a fence; what threads store into an operand needs one.
ir(1, level="tile", target="sm_90a", after="insert_barriers")
def f(A: tensor(f16, [64, 16])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=4096) as bx:
        r = ring(2, fill="group", producer="main", consumer="main")
        a = shared(f16, [2, 64, 16], lay=[[a(2, 1024)], [a(64, 16)], [a(16, 1)]], swz=(16, 128, 1), at=0, ring=r)
        b = shared(f16, [8, 16], lay=[[a(8, 16)], [a(16, 1)]], swz=(16, 128, 1), at=4096)
        c = shared(f16, [8, 16], lay=[[a(8, 16)], [a(16, 1)]], swz=(16, 128, 1), at=4352)
        x = fragment(f32, [64, 8], lay=[[t(4, 32), r(2, 2), t(8, 4)], [t(4, 1), r(2, 1)]])
        w = ring_acquire(r)
        copy(A[0:64, 0:16], a[w, 0:64, 0:16], by="async", lay=[[t(64, 2)], [t(2, 1), r(8, 1)]], vec=8)
        ring_commit(r)
        s = ring_wait(r)
        gemm(a[s, 0:64, 0:16], b[0:8, 0:16], x, tB=True, clear=True, by="wgmma", inst=[64, 8, 16], warps=[4, 1])
        ring_release(r)
        for i in parallel(8, lay=[[r(1, 1), t(8, 1)]], rep=[t(16, 8)], vec=1):
            c[i, 0] = A[i, 0]
        gemm(a[s, 0:64, 0:16], c[0:8, 0:16], x, tB=True, clear=False, by="wgmma", inst=[64, 8, 16], warps=[4, 1])
#> ir(1, level="thread", target="sm_90a", after="lower_tile_ops")
#> def f(A: tensor(f16, [64, 16])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=4096) as bx:
#>         a = shared(f16, [2, 64, 16], lay=[[a(2, 1024)], [a(64, 16)], [a(16, 1)]], swz=(16, 128, 1), at=0)
#>         b = shared(f16, [8, 16], lay=[[a(8, 16)], [a(16, 1)]], swz=(16, 128, 1), at=4096)
#>         c = shared(f16, [8, 16], lay=[[a(8, 16)], [a(16, 1)]], swz=(16, 128, 1), at=4352)
#>         x = local(f32, [4], of=frag([64, 8], [[t(4, 32), r(2, 2), t(8, 4)], [t(4, 1), r(2, 1)]]))
#>         r_in = var(i32, 0)
#>         r_out = var(i32, 0)
#>         w = r_in
#>         cp_async(a[w, tid // 2, tid % 2 * 8:tid % 2 * 8 + 8], A[tid // 2, tid % 2 * 8:tid % 2 * 8 + 8])
#>         cp_commit()
#>         r_in = r_in ^ 1
#>         s = r_out
#>         cp_wait(0)
#>         block_sync()
#>         mma_fence(x[0:4])
#>         wgmma(x[0:4], a[s, 0:64, 0:16], b[0:8, 0:16], shape="m64n8k16", zero=True, tA=False, tB=False)
#>         mma_commit()
#>         mma_wait(0)
#>         r_out = r_out ^ 1
#>         if tid // 8 == 0:
#>             c[tid % 8, 0] = A[tid % 8, 0]
#>         fence_proxy()
#>         block_sync()
#>         mma_fence(x[0:4])
#>         wgmma(x[0:4], a[s, 0:64, 0:16], c[0:8, 0:16], shape="m64n8k16", zero=False, tA=False, tB=False)
#>         mma_commit()
#>         mma_wait(0)
