# test: passes run=vectorize
# A value bound before a loop is read once, although a single statement uses it: that one changes the source.
ir(1, level="thread", target="sm_90a")
def f(B: tensor(f32, [512])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        for v in unroll(4, vec=4):
            x = B[tid * 4 + v]
            for k in serial(3):
                B[tid * 4 + v] = B[tid * 4 + v] + x
#> ir(1, level="thread", target="sm_90a", after="vectorize")
#> def f(B: tensor(f32, [512])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         x_v = local(f32, [4])
#>         x_v[0:4] = B[tid * 4:tid * 4 + 4]
#>         for k in serial(3):
#>             B[tid * 4:tid * 4 + 4] = B[tid * 4:tid * 4 + 4] + x_v[0:4]
