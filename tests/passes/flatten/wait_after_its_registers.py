# test: passes run=flatten
# A wait names the registers that it finishes as far as they are still there.
ir(1, level="thread", target="sm_90a", after="vectorize")
def f(A: tensor(f16, [64])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=8192) as (bx, by, bz):
        s = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), at=0)
        d = local(f32, [32])
        for k in serial(4):
            mma_wait(0)
            c = local(f32, [32])
            wgmma(c[0:32], s[0:64, 0:16], s[0:16, 0:64], shape="m64n64k16", zero=True, tA=False, tB=True)
            wgmma(d[0:32], s[0:64, 0:16], s[0:16, 0:64], shape="m64n64k16", zero=True, tA=False, tB=True)
            mma_commit()
        mma_wait(0)
#> ir(1, level="flat", target="sm_90a", after="flatten")
#> def f(A: tensor(f16, [64])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=8192) as (bx, by, bz):
#>         s = shared(f16, [4096], at=0)
#>         d = local(f32, [32])
#>         for k in serial(4):
#>             mma_wait(0, d[0:32])
#>             c = local(f32, [32])
#>             wgmma(c[0:32], i64(4611686293305360384), i64(4611686293305360384), shape="m64n64k16", zero=True, tA=False, tB=True, dtype="f16")
#>             wgmma(d[0:32], i64(4611686293305360384), i64(4611686293305360384), shape="m64n64k16", zero=True, tA=False, tB=True, dtype="f16")
#>             mma_commit()
#>         mma_wait(0, d[0:32])
