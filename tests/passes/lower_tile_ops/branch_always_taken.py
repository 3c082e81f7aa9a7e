# test: passes run=lower_tile_ops
# The block's index decides the first condition: its body joins the block, with renamed variables.
ir(1, level="tile", target="mp_31", after="insert_barriers")
def f(A: tensor(i32, [64]), n: i32):
    with kernel("k", grid=[4, 1, 1], block=32, smem=0) as bx:
        if bx < 4:
            t = A[bx]
            A[bx + 4] = t * t
        if bx < n:
            t = A[bx + 8]
            A[bx + 12] = t * t
#> ir(1, level="thread", target="mp_31", after="lower_tile_ops")
#> def f(A: tensor(i32, [64]), n: i32):
#>     with kernel("k", grid=[4, 1, 1], block=32, smem=0) as bx:
#>         t_1 = A[bx]
#>         if leader("block"):
#>             A[bx + 4] = t_1 * t_1
#>         if bx < n:
#>             t = A[bx + 8]
#>             if leader("block"):
#>                 A[bx + 12] = t * t
