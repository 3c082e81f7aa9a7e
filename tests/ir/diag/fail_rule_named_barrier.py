# test: diag
# Barriers by number: 1 to 15, whole warps, and as many threads at all places.
ir(1, level="thread", target="sm_80", after="lower_tile_ops")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=256, smem=0) as bx:
        named_sync(0, threads=256)
        named_sync(1, threads=200)
        named_sync(2, threads=256)
        named_arrive(2, threads=128)
        named_arrive(3)
#> error[ir-rule]: `named_sync` uses one of the barriers 1 to 15, not 0
#>   --> fail_rule_named_barrier.py, line 6
#>   6 |         named_sync(0, threads=256)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `named_sync` needs whole warps of 32 threads, not 200
#>   --> fail_rule_named_barrier.py, line 7
#>   7 |         named_sync(1, threads=200)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `named_arrive` is for 128 threads at a barrier that is for 256 elsewhere
#>   --> fail_rule_named_barrier.py, line 9
#>   9 |         named_arrive(2, threads=128)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `named_arrive` needs its attribute `threads`
#>   --> fail_rule_named_barrier.py, line 10
#>  10 |         named_arrive(3)
#>     |         ^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
