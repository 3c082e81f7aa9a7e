# SPDX-License-Identifier: Apache-2.0
# A kernel that was compiled for this machine writes past the end of its tensor.
ir(1, level="flat", target="cpu")
def f(out: tensor(i32, [256])):
    with kernel("k", grid=[1, 1, 1], block=1, smem=0, params=[out]) as (bx, by, bz):
        out[bx + 256] = 1
#> crash: in block (0, 0), Segmentation fault
#>   crash.py, line 5    with kernel("k", grid=[1, 1, 1], block=1, smem=0, params=[out]) as (bx, by, bz):
#>                         the compiled kernel crashed
#> help: run it on the simulator, which checks every index (%check, or %device sim)
