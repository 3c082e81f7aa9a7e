# SPDX-License-Identifier: Apache-2.0
# An assertion that fails in some threads.
ir(1, level="thread", target="mp_31")
def f(out: tensor(i32, [256])):
    with kernel("k", grid=[1, 1, 1], block=64, smem=1024) as (bx, by, bz):
        device_assert("small", tid < 40)
        out[tid] = 1
#> assertion: in block (0, 0), small
#>   assertion.py, line 6    device_assert("small", tid < 40)    thread 40 (warp 1, lane 8) fails
#> help: add T.print to show the values there
