# test: passes run=allocate_barriers
ir(1, level="thread", target="mp_31", after="lower_tile_ops")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=0) as bx:
        full = barrier([40], count=1, tx=True)
        empty = barrier([40], count=2)
        bar_wait(full[0], 0)
#> error[target-lacks]: `barrier 64` is not available on mp_31: the kernel needs 80 of them
#>   --> fail_limit.py, line 4
#>   4 |     with kernel("k", grid=[1, 1, 1], block=128, smem=0) as bx:
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: use fewer stages or fewer roles
