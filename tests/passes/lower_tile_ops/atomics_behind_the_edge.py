# test: passes run=lower_tile_ops
# As stores: only where the element is there. What an access gives outside is zero.
ir(1, level="tile", target="sm_80", after="insert_barriers")
def f(A: tensor(i32, [M]), *, M: dim(i32, 0, 2147418112)):
    bind(M, A, 0)
    with kernel("k", grid=[4, 1, 1], block=64, smem=0) as bx:
        x = var(i32, 0)
        atomic_add(A[bx * 64 + tid], 1)
        old = atomic_add(A[bx * 64 + tid], 1)
        x = atomic_add(A[tid], old)
        if tid < M:
            atomic_add(A[tid], x)
#> ir(1, level="thread", target="sm_80", after="lower_tile_ops")
#> def f(A: tensor(i32, [M]), *, M: dim(i32, 0, 2147418112)):
#>     bind(M, A, 0)
#>     with kernel("k", grid=[4, 1, 1], block=64, smem=0) as bx:
#>         x = var(i32, 0)
#>         if guard(bx * 64 + tid < M):
#>             atomic_add(A[bx * 64 + tid], 1)
#>         old = var(i32, 0)
#>         if guard(bx * 64 + tid < M):
#>             old = atomic_add(A[bx * 64 + tid], 1)
#>         if guard(tid < M):
#>             x = atomic_add(A[tid], old)
#>         else:
#>             x = 0
#>         if tid < M:
#>             atomic_add(A[tid], x)
