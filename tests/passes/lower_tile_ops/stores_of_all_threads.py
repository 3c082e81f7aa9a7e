# test: passes run=lower_tile_ops
# The matrix unit of the first 128 threads reads what all have stored: the others have no fence of these stores otherwise.
ir(1, level="tile", target="sm_90a", after="insert_barriers", configs={"tilelab.hardware_units": True})
def f(B: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=256, smem=8192) as bx:
        b = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), at=0)
        c = fragment(f32, [64, 64], lay=[[t(4, 32), r(2, 2), t(8, 4)], [r(8, 4), t(4, 1), r(2, 1)]])
        for i, j in parallel(64, 64, lay=[[r(16, 1), t(4, 64)], [t(64, 1)]]):
            b[i, j] = B[i, j]
        block_sync()
        if tid < 128:
            gemm(b, b, c, tB=True, clear=True, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
#> ir(1, level="thread", target="sm_90a", after="lower_tile_ops", configs={"tilelab.hardware_units": True})
#> def f(B: tensor(f16, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=256, smem=8192) as bx:
#>         b = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), at=0)
#>         c = local(f32, [32], of=frag([64, 64], [[t(4, 32), r(2, 2), t(8, 4)], [r(8, 4), t(4, 1), r(2, 1)]]))
#>         for i in unroll(16):
#>             b[tid // 64 + i * 4, tid % 64] = B[tid // 64 + i * 4, tid % 64]
#>         fence_proxy()
#>         block_sync()
#>         if tid < 128:
#>             fence_proxy()
#>             range_sync(0, 128)
#>             mma_fence(c[0:32])
#>             wgmma(c[0:32], b[0:64, 0:16], b[0:64, 0:16], shape="m64n64k16", zero=True, tA=False, tB=False)
#>             for k in unroll(1, 4):
#>                 wgmma(c[0:32], b[0:64, k * 16:k * 16 + 16], b[0:64, k * 16:k * 16 + 16], shape="m64n64k16", zero=False, tA=False, tB=False)
#>             mma_commit()
#>             mma_wait(0)
