# test: diag
ir(1, level="tile", target="mp_31")
def f(A: tensor(i32, [64, 64]), B: tensor(i32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        r = ring(1000000, fill="tx", bytes=0, producer="", consumer="", unit="lane", arrivals=0)
        reduce(A, B, dims=[0], op="absmax", clear=True, nan_propagate=True)
        scan(A, A, op="sum", dim=2)
        for i in parallel(64, lay=[[t(1000000, 1), t(1000000, 1)]]):
            B[i] = 0
#> error[ir-rule]: a ring has between 1 and 65536 stages
#>   --> fail_rule_tile_operations.py, line 5
#>   5 |         r = ring(1000000, fill="tx", bytes=0, producer="", consumer="", unit="lane", arrivals…
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `nan_propagate` of a reduction is of floats
#>   --> fail_rule_tile_operations.py, line 6
#>   6 |         reduce(A, B, dims=[0], op="absmax", clear=True, nan_propagate=True)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `A` has no dimension 2
#>   --> fail_rule_tile_operations.py, line 7
#>   7 |         scan(A, A, op="sum", dim=2)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the layout of T.Parallel has a digit without an extent, or too large a one
#>   --> fail_rule_tile_operations.py, line 8
#>   8 |         for i in parallel(64, lay=[[t(1000000, 1), t(1000000, 1)]]):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
