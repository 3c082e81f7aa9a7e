# SPDX-License-Identifier: Apache-2.0
# Thread 3 divides by zero.
ir(1, level="thread", target="mp_31")
def f(out: tensor(i32, [256])):
    with kernel("k", grid=[1, 1, 1], block=64, smem=1024) as (bx, by, bz):
        out[tid] = 7 // (tid - 3)
#> divide-by-zero: in block (0, 0)
#>   divide_by_zero.py, line 6    out[tid] = 7 // (tid - 3)    thread 3 (warp 0, lane 3) divides by zero
#> help: check the divisor first, for example with T.if_then_else
