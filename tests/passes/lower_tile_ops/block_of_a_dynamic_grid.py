# test: passes run=lower_tile_ops
# The grid has one block for each of the n rows: block bx needs no test of its row, while column j of m does.
ir(1, level="tile", target="sm_90a", after="insert_barriers")
def f(A: tensor(f32, [n, m]), B: tensor(f32, [n, 64]), *, n: dim(i32, 0, 2147418112), m: dim(i32, 0, 2147418112)):
    bind(n, A, 0)
    bind(m, A, 1)
    with kernel("k", grid=[n, 1, 1], block=64, smem=0) as bx:
        for j in parallel(64, lay=[[t(64, 1)]]):
            B[bx, j] = A[bx, j]
#> ir(1, level="thread", target="sm_90a", after="lower_tile_ops")
#> def f(A: tensor(f32, [n, m]), B: tensor(f32, [n, 64]), *, n: dim(i32, 0, 2147418112), m: dim(i32, 0, 2147418112)):
#>     bind(n, A, 0)
#>     bind(m, A, 1)
#>     with kernel("k", grid=[n, 1, 1], block=64, smem=0) as bx:
#>         B[bx, tid] = A[bx, tid] if guard(tid < m) else 0.0
