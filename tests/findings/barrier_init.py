# SPDX-License-Identifier: Apache-2.0
# A barrier that was never initialized.
ir(1, level="thread", target="mp_31")
def f(out: tensor(i32, [256])):
    with kernel("k", grid=[1, 1, 1], block=64, smem=1024) as (bx, by, bz):
        b = barrier([1], count=1, unit="warp", tx=False, id=1)
        bar_wait(b[0], 1)
#> barrier-init: b[0] in block (0, 0)
#>   barrier_init.py, line 7    bar_wait(b[0], 1)    thread 0 (warp 0, lane 0) uses
#> help: reserve and initialize it once, before everything else, and synchronize all threads before its first use
