# test: passes run=select_instructions
# Box and swizzle are not in the map, but in the instruction.
ir(1, level="tile", target="mp_31", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 256])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        for k in pipelined(4, stages=2):
            copy(A[0:64, k * 64:k * 64 + 64], s)
            gemm(s, s, c, tB=True, clear=False)
#> ir(1, level="tile", target="mp_31", after="select_instructions", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 256])):
#>     A_map = tensor_map(A, dims=[256, 64], strides=[512])
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         s = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 256, 15))
#>         c = fragment(f32, [64, 64])
#>         for k in pipelined(4, stages=2):
#>             copy(A[0:64, k * 64:k * 64 + 64], s, by="engine", map=A_map)
#>             gemm(s, s, c, tB=True, clear=False, by="sqmma", inst=[64, 64, 64], warps=[4, 1])
