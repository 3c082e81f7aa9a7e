# SPDX-License-Identifier: Apache-2.0
# Two arrivals at a barrier that counts one.
ir(1, level="thread", target="mp_31")
def f(out: tensor(i32, [256])):
    with kernel("k", grid=[1, 1, 1], block=64, smem=1024) as (bx, by, bz):
        b = barrier([1], count=1, unit="warp", tx=True, id=1)
        if tid == 0:
            bar_init(b)
            bar_expect(b[0], 64)
            bar_arrive(b[0])
            bar_arrive(b[0])
#> over-arrival: b[0] in block (0, 0), the phase expects 1 arrivals
#>   over_arrival.py, line 11    bar_arrive(b[0])    thread 0 (warp 0, lane 0) arrives at
#> help: count the arrivals: a phase takes as many as the barrier declares
