# test: diag
ir(1, level="tile", target="mp_31")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=128) as bx:
        r = ring(2, fill="arrive", bytes=256, producer="p", consumer="c", unit="warp", arrivals=4)
        with role("p", 0, 64):
            w = ring_acquire(r)
            ring_commit(r)
        with role("c", 64, 128):
            u = ring_wait(r)
            ring_release(r)
#> error[ir-rule]: a slot of the ring `r` is freed by 4 arrivals of a warp, its consumer has 2
#>   --> fail_ring_arrivals.py, line 4
#>   4 |     with kernel("k", grid=[1, 1, 1], block=128) as bx:
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
