# test: passes run=lower_tile_ops
# The halves of a cluster's barrier order memory and are counted: what is between them and a barrier of the block stays.
ir(1, level="tile", target="sm_90a", after="insert_barriers")
def f(A: tensor(i32, [128])):
    with kernel("k", grid=[2, 1, 1], block=128, attrs={"cluster": [2, 1, 1]}) as bx:
        block_sync(mem="all")
        cluster_arrive()
        block_sync(mem="all")
        cluster_wait()
        cluster_arrive()
        block_sync(mem="all")
        cluster_wait()
#> ir(1, level="thread", target="sm_90a", after="lower_tile_ops")
#> def f(A: tensor(i32, [128])):
#>     with kernel("k", grid=[2, 1, 1], block=128, attrs={"cluster": [2, 1, 1]}) as bx:
#>         block_sync(mem="all")
#>         cluster_arrive()
#>         block_sync(mem="all")
#>         cluster_wait()
#>         cluster_arrive()
#>         block_sync(mem="all")
#>         cluster_wait()
