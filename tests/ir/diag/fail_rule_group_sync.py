# test: diag
# A group is four warps: other groups can't synchronize.
ir(1, level="tile", target="sm_90a", after="plan_shared_memory")
def f(A: tensor(i32, [1])):
    with kernel("k", grid=[1, 1, 1], block=320, smem=0) as bx:
        group_sync(tid // 128)
        with role("pair", 0, 64):
            group_sync(0)
        with role("group", 64, 192):
            group_sync(0)
#> error[ir-rule]: `group_sync` synchronizes 128 threads; the 320 that reach it are not a multiple of that
#>   --> fail_rule_group_sync.py, line 6
#>   6 |         group_sync(tid // 128)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `group_sync` synchronizes 128 threads; the 64 that reach it are not a multiple of that
#>   --> fail_rule_group_sync.py, line 8
#>   8 |             group_sync(0)
#>     |             ^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
