# test: diag
ir(1, level="flat", target="mp_31")
def f(A: tensor(f16, [64, 64])):
    m = tensor_map(A, dims=[64, 64], strides=[128])
    with kernel("k", grid=[1, 1, 1], block=128, smem=8192, params=[m]) as bx:
        bar_reserve(2)
        role_sync()
        role_sync(id=1, threads=0)
        tma_load(0, m, [0, 0], 1, box=[64, 0], granule=-1)
        bar_wait(u8(tid), 0)
#> error[ir-rule]: `role_sync` needs its attribute `id` at flat level
#>   --> fail_rule_attributes_flat.py, line 7
#>   7 |         role_sync()
#>     |         ^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `role_sync` needs its attribute `threads` at flat level
#>   --> fail_rule_attributes_flat.py, line 7
#>   7 |         role_sync()
#>     |         ^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the attribute `threads` of `role_sync` is in 1..65536
#>   --> fail_rule_attributes_flat.py, line 8
#>   8 |         role_sync(id=1, threads=0)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the attribute `box` of `tma_load` is of extents in 1..65536
#>   --> fail_rule_attributes_flat.py, line 9
#>   9 |         tma_load(0, m, [0, 0], 1, box=[64, 0], granule=-1)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the attribute `granule` of `tma_load` is one of 16, 32, 64, 128, 256
#>   --> fail_rule_attributes_flat.py, line 9
#>   9 |         tma_load(0, m, [0, 0], 1, box=[64, 0], granule=-1)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: operand 0 of `bar_wait` is a barrier
#>   --> fail_rule_attributes_flat.py, line 10
#>  10 |         bar_wait(u8(tid), 0)
#>     |         ^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
