# test: diag
ir(1, level="tile", target="mp_31")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=128) as bx:
        x = fragment(f32, [2, 64])
        s = fragment(f32, [2])
        reduce(x, s, dims=[2], op="sum", clear=True)
        reduce(x, s, dims=[1, 1], op="sum", clear=True)
        reduce(x, s, dims=[0], op="sum", clear=True)
#> error[ir-rule]: `x` has no dimension 2
#>   --> fail_reduced_dimension.py, line 7
#>   7 |         reduce(x, s, dims=[2], op="sum", clear=True)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: a reduction has dimension 1 twice
#>   --> fail_reduced_dimension.py, line 8
#>   8 |         reduce(x, s, dims=[1, 1], op="sum", clear=True)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: a reduction leaves another shape than its destination `s` has
#>   --> fail_reduced_dimension.py, line 9
#>   9 |         reduce(x, s, dims=[0], op="sum", clear=True)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
