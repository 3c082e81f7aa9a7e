# test: passes run=vectorize
# Registers that hold two halves are converted two at a time; wider ones are unchanged.
ir(1, level="thread", target="sm_90a", after="lower_tile_ops")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64, smem=0) as bx:
        x = local(f32, [8])
        y = local(f16, [8])
        z = local(f32, [8])
        for i in unroll(4):
            for j in unroll(2, vec=2):
                y[i * 2 + j] = f16(x[i * 2 + j])
        for i in unroll(4):
            for j in unroll(2, vec=2):
                z[i * 2 + j] = x[i * 2 + j] * 2.0
#> ir(1, level="thread", target="sm_90a", after="vectorize")
#> def f(A: tensor(f32, [64])):
#>     with kernel("k", grid=[1, 1, 1], block=64, smem=0) as bx:
#>         x = local(f32, [8])
#>         y = local(f16, [8])
#>         z = local(f32, [8])
#>         for i in unroll(4):
#>             y[i * 2:i * 2 + 2] = f16(x[i * 2:i * 2 + 2])
#>         for i in unroll(4):
#>             for j in unroll(2):
#>                 z[i * 2 + j] = x[i * 2 + j] * 2.0
