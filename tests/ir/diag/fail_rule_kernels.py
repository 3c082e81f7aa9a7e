# test: diag
ir(1, level="flat", target="mp_31")
def f(A: tensor(f32, [64])):
    with kernel("a b", grid=[1, 1, 1], block=64, params=[A]) as bx:
        A[tid] = 0.0
    with kernel("k", grid=[1, 1, 1], block=64, params=[A, A]) as bx:
        A[tid] = 1.0
    with kernel("k", grid=[1, 1, 1], block=64, smem=-2, params=[A]) as bx:
        A[tid] = 2.0
    with kernel("l", grid=[1, 1, 1], block=64, params=[A, tid]) as bx:
        A[tid] = 3.0
    with kernel("m", grid=[1, 1, 1], block=4097, params=[A]) as bx:
        A[tid] = 4.0
#> error[ir-rule]: `a b` is not a valid name of a kernel
#>   --> fail_rule_kernels.py, line 4
#>   4 |     with kernel("a b", grid=[1, 1, 1], block=64, params=[A]) as bx:
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `A` is a parameter of its kernel twice
#>   --> fail_rule_kernels.py, line 6
#>   6 |     with kernel("k", grid=[1, 1, 1], block=64, params=[A, A]) as bx:
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: two kernels of the function have the name `k`
#>   --> fail_rule_kernels.py, line 8
#>   8 |     with kernel("k", grid=[1, 1, 1], block=64, smem=-2, params=[A]) as bx:
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: a block has no -2 shared bytes
#>   --> fail_rule_kernels.py, line 8
#>   8 |     with kernel("k", grid=[1, 1, 1], block=64, smem=-2, params=[A]) as bx:
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `tid` is not a valid parameter of a kernel: valid are the tensors of its function, numbers, extents, tensor maps and workspaces
#>   --> fail_rule_kernels.py, line 10
#>  10 |     with kernel("l", grid=[1, 1, 1], block=64, params=[A, tid]) as bx:
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: a block has between 1 and 4096 threads
#>   --> fail_rule_kernels.py, line 12
#>  12 |     with kernel("m", grid=[1, 1, 1], block=4097, params=[A]) as bx:
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
