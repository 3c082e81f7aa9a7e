# test: passes run=select_instructions
# T.ptx_cp_async writes vectors, whose addresses go through the layout: its buffer gets the swizzle of wgmma. A foreign
# function has a row-major buffer.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f16, [2, 64, 64])
        b = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        cp_async(a[1, tid // 8, tid % 8 * 8:tid % 8 * 8 + 8], A[tid // 8, tid % 8 * 8:tid % 8 * 8 + 8])
        gemm(a[1, 0:64, 0:64], a[1, 0:64, 0:64], c, tB=True, clear=True)
        gemm(a[1, 0:64, 0:64], b, c, tB=True, clear=False)
        if native():
            foreign(b[0:1, 0:64], name="f", access="u")
        else:
            opaque("f", False)
#> ir(1, level="tile", target="sm_90a", after="select_instructions", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         a = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], swz=(16, 128, 7))
#>         b = shared(f16, [64, 64])
#>         c = fragment(f32, [64, 64])
#>         cp_async(a[1, tid // 8, tid % 8 * 8:tid % 8 * 8 + 8], A[tid // 8, tid % 8 * 8:tid % 8 * 8 + 8])
#>         gemm(a[1], a[1], c, tB=True, clear=True, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
#>         gemm(a[1], b, c, tB=True, clear=False, by="mma", inst=[16, 8, 16], warps=[2, 2])
#>         if native():
#>             foreign(b[0:1, 0:64], name="f", access="u")
#>         else:
#>             opaque("f", False)
