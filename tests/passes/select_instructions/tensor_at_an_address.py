# test: passes run=select_instructions
# A copy engine needs a tensor map, which the host makes; the host does not know the address.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f(P: tensor(i64, [4], pointers=True), B: tensor(f16, [64, 256])):
    with kernel("k", grid=[4, 1, 1], block=128) as (bx, by, bz):
        A_address = P[bx]
        A = tensor(f16, [64, 256], address=A_address)
        s = shared(f16, [64, 64])
        t = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        for k in pipelined(4, stages=2):
            copy(A[0:64, k * 64:k * 64 + 64], s)
            copy(B[0:64, k * 64:k * 64 + 64], t)
            gemm(s, t, c, tB=True, clear=False)
#> ir(1, level="tile", target="sm_90a", after="select_instructions", configs={"tilelab.hardware_units": True})
#> def f(P: tensor(i64, [4], pointers=True), B: tensor(f16, [64, 256])):
#>     B_map = tensor_map(B, dims=[256, 64], strides=[512], box=[64, 64], swz=(16, 128, 7))
#>     with kernel("k", grid=[4, 1, 1], block=128) as (bx, by, bz):
#>         A_address = P[bx]
#>         A = tensor(f16, [64, 256], address=A_address)
#>         s = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 128, 7))
#>         t = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 128, 7))
#>         c = fragment(f32, [64, 64])
#>         for k in pipelined(4, stages=2):
#>             copy(A[0:64, k * 64:k * 64 + 64], s, by="async")
#>             copy(B[0:64, k * 64:k * 64 + 64], t, by="engine", map=B_map)
#>             gemm(s, t, c, tB=True, clear=False, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
