# test: passes run=lower_tile_ops
# Threads leave out the bits that the units would leave out.
ir(1, level="tile", target="mp_31", after="insert_barriers", configs={"tilelab.hardware_units": False})
def f(A: tensor(f32, [8, 8]), B: tensor(f32, [8, 8])):
    with kernel("k", grid=[1, 1, 1], block=32) as (bx, by, bz):
        a = shared(f32, [8, 8], lay=[[a(8, 8)], [a(8, 1)]], at=0)
        b = shared(f32, [8, 8], lay=[[a(8, 8)], [a(8, 1)]], at=256)
        c = fragment(f32, [8, 8], lay=[[r(2, 1), t(4, 8)], [t(8, 1)]])
        gemm(a, b, c, clear=True, tf32=True, by="fma")
#> ir(1, level="thread", target="mp_31", after="lower_tile_ops", configs={"tilelab.hardware_units": False})
#> def f(A: tensor(f32, [8, 8]), B: tensor(f32, [8, 8])):
#>     with kernel("k", grid=[1, 1, 1], block=32) as (bx, by, bz):
#>         a = shared(f32, [8, 8], lay=[[a(8, 8)], [a(8, 1)]], at=0)
#>         b = shared(f32, [8, 8], lay=[[a(8, 8)], [a(8, 1)]], at=256)
#>         c = local(f32, [2], of=frag([8, 8], [[r(2, 1), t(4, 8)], [t(8, 1)]]))
#>         for i in unroll(2):
#>             c[i] = 0.0
#>         for k in serial(8):
#>             for i in unroll(2):
#>                 c[i] = fma(bits(f32, bits(u32, a[tid // 8 + i * 4, k]) & 4294959104), bits(f32, bits(u32, b[k, tid % 8]) & 4294959104), c[i])
