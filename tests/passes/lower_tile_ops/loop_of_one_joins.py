# test: passes run=lower_tile_ops
# The loop of one iteration joins its neighbours; the name that it binds is bound again after it.
ir(1, level="tile", target="mp_31")
def f(A: tensor(i32, [2])):
    with kernel("k", grid=[1, 1, 1], block=32, smem=0) as (bx, by, bz):
        x = fragment(i32, [1], lay=[[r(1, 1)]], rep=[t(32, 1)])
        for j in parallel(1, lay=[[]], rep=[t(32, 1)]):
            t = x[j]
            x[j] = t * 2
        t = x[0]
        A[0] = t + 1
#> ir(1, level="thread", target="mp_31", after="lower_tile_ops")
#> def f(A: tensor(i32, [2])):
#>     with kernel("k", grid=[1, 1, 1], block=32, smem=0) as (bx, by, bz):
#>         x = local(i32, [1], of=frag([1], [[r(1, 1)]], rep=[t(32, 1)]))
#>         t_1 = x[0]
#>         x[0] = t_1 * 2
#>         t = x[0]
#>         if leader("block"):
#>             A[0] = t + 1
