# test: passes run=lower_tile_ops
# One element has no layout: every thread that runs the copy holds it.
ir(1, level="tile", target="mp_31", after="insert_barriers")
def f(V: tensor(f16, [3])):
    with kernel("k", grid=[3, 1, 1], block=64, smem=0) as bx:
        x = fragment(f16, [1], lay=[[r(1, 1)]], rep=[t(64, 1)])
        copy(V[bx], x[0:1], by="simt")
        fill(x[0:1], 0.0)
#> ir(1, level="thread", target="mp_31", after="lower_tile_ops")
#> def f(V: tensor(f16, [3])):
#>     with kernel("k", grid=[3, 1, 1], block=64, smem=0) as bx:
#>         x = local(f16, [1], of=frag([1], [[r(1, 1)]], rep=[t(64, 1)]))
#>         x[0] = V[bx]
#>         x[0] = 0.0
