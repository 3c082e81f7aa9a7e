# SPDX-License-Identifier: Apache-2.0
# A counter is left as it is at the end.
ir(1, level="tile", target="mp_31")
def f(out: tensor(i32, [64])):
    counter = workspace(i32, [1], zeroed=True)
    with kernel("k", grid=[2, 1, 1], block=64) as (bx, by, bz):
        old = atomic_add(counter[0], 1)
        for i in parallel(32):
            out[bx * 32 + i] = i
#> workspace-not-zeroed: counter byte 0
#>   workspace_not_zeroed.py, line 5    counter = workspace(i32, [1], zeroed=True)
#>                                        the kernel leaves a nonzero value
#> help: write the zeros back at the end: the next launch relies on them
