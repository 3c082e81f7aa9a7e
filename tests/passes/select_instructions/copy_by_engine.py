# test: passes run=select_instructions
# In a pipelined loop the copy engine loads boxes in the layout of wgmma.
ir(1, level="tile", target="sm_90a", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 256])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        for k in pipelined(4, stages=2):
            copy(A[0:64, k * 64:k * 64 + 64], s)
            gemm(s, s, c, tB=True, clear=False)
#> ir(1, level="tile", target="sm_90a", after="select_instructions", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 256])):
#>     A_map = tensor_map(A, dims=[256, 64], strides=[512], box=[64, 64], swz=(16, 128, 7))
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         s = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 128, 7))
#>         c = fragment(f32, [64, 64])
#>         for k in pipelined(4, stages=2):
#>             copy(A[0:64, k * 64:k * 64 + 64], s, by="engine", map=A_map)
#>             gemm(s, s, c, tB=True, clear=False, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
