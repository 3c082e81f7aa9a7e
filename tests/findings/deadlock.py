# SPDX-License-Identifier: Apache-2.0
# Two arrivals are waited for, and one warp arrives.
ir(1, level="thread", target="mp_31")
def f(out: tensor(i32, [256])):
    with kernel("k", grid=[1, 1, 1], block=64, smem=1024) as (bx, by, bz):
        full = barrier([2], count=2, unit="warp", tx=False, id=1)
        if leader("block"):
            bar_init(full)
        block_sync()
        if warp == 0:
            bar_arrive(full[1])
        bar_wait(full[1], 0)
#> deadlock: in block (0, 0), 0 of 2 warps have ended; full[1] misses 1 arrivals and 0 bytes
#>   deadlock.py, line 12    bar_wait(full[1], 0)    warp 0, 1 waits for full[1], parity 0
#> help: count the threads that arrive at the barrier, and check that all of them reach it
