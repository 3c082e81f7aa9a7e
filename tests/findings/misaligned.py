# SPDX-License-Identifier: Apache-2.0
# Vectors of four elements that start at the second one.
ir(1, level="thread", target="mp_31")
def f(out: tensor(i32, [256])):
    with kernel("k", grid=[1, 1, 1], block=64, smem=1024) as (bx, by, bz):
        if tid < 8:
            out[tid * 4 + 1:tid * 4 + 5] = broadcast(tid, 4)
#> misaligned: out in block (0, 0), byte 4 for an access of 16 bytes
#>   misaligned.py, line 7    out[tid * 4 + 1:tid * 4 + 5] = broadcast(tid, 4)
#>                              thread 0 (warp 0, lane 0) writes
#> help: start the access at a multiple of its size, or make it narrower
