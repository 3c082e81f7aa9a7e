# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f16, [64, 64])):
    a = tensor_map(A, dims=[64, 64], strides=[])
    c = tensor_map(A, dims=[64, 64], strides=[128], box=[64])
    d = tensor_map(A, dims=[64, 64], strides=[128], box=[64, 0])
    e = tensor_map(A, dims=[64, 64], strides=[128], box=[64, 8], swz=(16, 24, 1))
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        A[0, tid] = 0.0
#> error[ir-rule]: a tensor map has 1 to 5 dimensions and one stride less
#>   --> fail_rule_tensor_maps.py, line 4
#>   4 |     a = tensor_map(A, dims=[64, 64], strides=[])
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the box of a tensor map has an extent for each dimension
#>   --> fail_rule_tensor_maps.py, line 5
#>   5 |     c = tensor_map(A, dims=[64, 64], strides=[128], box=[64])
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the box of a tensor map has the extent 0
#>   --> fail_rule_tensor_maps.py, line 6
#>   6 |     d = tensor_map(A, dims=[64, 64], strides=[128], box=[64, 0])
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the swizzle of `e` is (granule, line, mask) with (mask + 1) * granule <= line, both powers of two
#>   --> fail_rule_tensor_maps.py, line 7
#>   7 |     e = tensor_map(A, dims=[64, 64], strides=[128], box=[64, 8], swz=(16, 24, 1))
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
