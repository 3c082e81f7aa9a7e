# test: passes run=lower_tile_ops
# Every replica is filled, the first one stores.
ir(1, level="tile", target="mp_31")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        x = fragment(f32, [64], lay=[[t(64, 1)]], rep=[t(2, 64)])
        fill(x, 1.0, vec=1, lay=[[t(64, 1)]], rep=[t(2, 64)])
        copy(x, A, by="simt", vec=1, lay=[[t(64, 1)]], rep=[t(2, 64)])
#> ir(1, level="thread", target="mp_31", after="lower_tile_ops")
#> def f(A: tensor(f32, [64])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         x = local(f32, [1], of=frag([64], [[t(64, 1)]], rep=[t(2, 64)]))
#>         x[0] = 1.0
#>         if tid // 64 == 0:
#>             A[tid % 64] = x[0]
