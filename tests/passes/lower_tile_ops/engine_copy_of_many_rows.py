# test: passes run=lower_tile_ops
# More rows than a box has: two boxes of 144.
ir(1, level="tile", target="mp_31", after="insert_barriers")
def f(A: tensor(f16, [576, 32])):
    A_map = tensor_map(A, dims=[32, 576], strides=[64])
    with kernel("k", grid=[1, 1, 1], block=128, smem=36864) as bx:
        r = ring(2, fill="tx", bytes=18432, producer="p", consumer="c")
        a = shared(f16, [2, 288, 32], lay=[[a(2, 9216)], [a(288, 32)], [a(32, 1)]], at=0, ring=r)
        with role("p", 0, 64):
            for k in serial(2):
                s = ring_acquire(r)
                copy(A[k * 288:k * 288 + 288, 0:32], a[s], by="engine", map=A_map)
                ring_commit(r)
            role_sync()
#> ir(1, level="thread", target="mp_31", after="lower_tile_ops")
#> def f(A: tensor(f16, [576, 32])):
#>     A_map = tensor_map(A, dims=[32, 576], strides=[64])
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=36864) as bx:
#>         r_full = barrier([2], count=1, unit="warp", tx=True)
#>         r_empty = barrier([2], count=4, unit="warp")
#>         a = shared(f16, [2, 288, 32], lay=[[a(2, 9216)], [a(288, 32)], [a(32, 1)]], at=0)
#>         if leader("block"):
#>             bar_init(r_full)
#>             bar_init(r_empty)
#>         block_sync(mem="all")
#>         with role("p", 0, 64):
#>             r_in = var(i32, 0)
#>             r_in_phase = var(i32, 0)
#>             for k in serial(2):
#>                 s = r_in
#>                 if leader("role"):
#>                     bar_wait(r_empty[s], r_in_phase ^ 1)
#>                     bar_expect(r_full[s], 18432)
#>                     tma_load(a[s, 0:144, 0:32], A_map, [0, k * 288], r_full[s])
#>                     tma_load(a[s, 144:288, 0:32], A_map, [0, k * 288 + 144], r_full[s])
#>                     bar_arrive(r_full[s])
#>                 r_in = r_in ^ 1
#>                 r_in_phase = r_in_phase ^ 1 if r_in == 0 else r_in_phase
#>             role_sync()
