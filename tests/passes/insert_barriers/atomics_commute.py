# test: passes run=insert_barriers
# Sums may come in any order, a minimum waits for them. Atomic loads and stores are how threads talk.
ir(1, level="tile", target="mp_31", after="plan_shared_memory")
def f(A: tensor(i32, [1])):
    with kernel("k", grid=[1, 1, 1], block=64, smem=0) as bx:
        atomic_add(A[0], 1)
        atomic_add(A[0], 2)
        atomic_min(A[0], 3)
        x = atomic_load(A[0])
        atomic_store(A[0], x)
#> ir(1, level="tile", target="mp_31", after="insert_barriers")
#> def f(A: tensor(i32, [1])):
#>     with kernel("k", grid=[1, 1, 1], block=64, smem=0) as bx:
#>         atomic_add(A[0], 1)
#>         atomic_add(A[0], 2)
#>         block_sync(mem="all")
#>         atomic_min(A[0], 3)
#>         x = atomic_load(A[0])
#>         atomic_store(A[0], x)
