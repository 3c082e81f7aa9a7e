# test: passes run=lower_tile_ops
# Threads 32 to 95: which register has an element does not depend on the thread.
ir(1, level="tile", target="sm_90a", after="insert_barriers")
def f(B: tensor(f32, [512])):
    with kernel("k", grid=[1, 1, 1], block=96) as (bx, by, bz):
        if tid >= 32:
            x = fragment(f32, [512], lay=[[r(8, 1), t(64, 1)]], base=32)
            for i in parallel(512, lay=[[r(8, 1), t(64, 1)]], base=32, vec=1):
                x[i] = 1.0
            copy(x, B[0:512], by="simt", vec=1, lay=[[r(8, 1), t(64, 1)]], base=32)
#> ir(1, level="thread", target="sm_90a", after="lower_tile_ops")
#> def f(B: tensor(f32, [512])):
#>     with kernel("k", grid=[1, 1, 1], block=96) as (bx, by, bz):
#>         if tid >= 32:
#>             x = local(f32, [8], of=frag([512], [[r(8, 1), t(64, 1)]], base=32))
#>             for i in unroll(8):
#>                 x[i] = 1.0
#>             for v in unroll(8):
#>                 B[tid - 32 + v * 64] = x[v]
