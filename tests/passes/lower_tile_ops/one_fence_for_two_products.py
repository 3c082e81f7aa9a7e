# test: passes run=lower_tile_ops
# Between products of what threads filled, a fence and a barrier remain only where threads have written to an operand
# since the last ones.
ir(1, level="tile", target="sm_90a", after="insert_barriers")
def f(A: tensor(f16, [64, 16])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=4096) as bx:
        a = shared(f16, [64, 16], lay=[[a(64, 16)], [a(16, 1)]], swz=(16, 128, 1), at=0)
        b = shared(f16, [8, 16], lay=[[a(8, 16)], [a(16, 1)]], swz=(16, 128, 1), at=2048)
        x = fragment(f32, [64, 8], lay=[[t(4, 32), r(2, 2), t(8, 4)], [t(4, 1), r(2, 1)]])
        for i in parallel(64, lay=[[r(1, 1), t(64, 1)]], rep=[t(2, 64)], vec=1):
            a[i, 0] = A[i, 0]
        gemm(a[0:64, 0:16], b[0:8, 0:16], x, tB=True, clear=True, by="wgmma", inst=[64, 8, 16], warps=[4, 1])
        gemm(a[0:64, 0:16], b[0:8, 0:16], x, tB=True, clear=False, by="wgmma", inst=[64, 8, 16], warps=[4, 1])
        block_sync()
        for i in parallel(64, lay=[[r(1, 1), t(64, 1)]], rep=[t(2, 64)], vec=1):
            a[i, 1] = A[i, 1]
        gemm(a[0:64, 0:16], b[0:8, 0:16], x, tB=True, clear=False, by="wgmma", inst=[64, 8, 16], warps=[4, 1])
#> ir(1, level="thread", target="sm_90a", after="lower_tile_ops")
#> def f(A: tensor(f16, [64, 16])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=4096) as bx:
#>         a = shared(f16, [64, 16], lay=[[a(64, 16)], [a(16, 1)]], swz=(16, 128, 1), at=0)
#>         b = shared(f16, [8, 16], lay=[[a(8, 16)], [a(16, 1)]], swz=(16, 128, 1), at=2048)
#>         x = local(f32, [4], of=frag([64, 8], [[t(4, 32), r(2, 2), t(8, 4)], [t(4, 1), r(2, 1)]]))
#>         if tid // 64 == 0:
#>             a[tid % 64, 0] = A[tid % 64, 0]
#>         fence_proxy()
#>         block_sync()
#>         mma_fence(x[0:4])
#>         wgmma(x[0:4], a[0:64, 0:16], b[0:8, 0:16], shape="m64n8k16", zero=True, tA=False, tB=False)
#>         mma_commit()
#>         mma_wait(0)
#>         mma_fence(x[0:4])
#>         wgmma(x[0:4], a[0:64, 0:16], b[0:8, 0:16], shape="m64n8k16", zero=False, tA=False, tB=False)
#>         mma_commit()
#>         mma_wait(0)
#>         block_sync()
#>         if tid // 64 == 0:
#>             a[tid % 64, 1] = A[tid % 64, 1]
#>         fence_proxy()
#>         block_sync()
#>         mma_fence(x[0:4])
#>         wgmma(x[0:4], a[0:64, 0:16], b[0:8, 0:16], shape="m64n8k16", zero=False, tA=False, tB=False)
#>         mma_commit()
#>         mma_wait(0)
