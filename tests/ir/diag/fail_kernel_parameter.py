# test: diag
ir(1, level="flat", target="mp_31", after="flatten")
def f(A: tensor(f32, [64]), B: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64, smem=0, params=[A]) as bx:
        B[tid] = A[tid]
#> error[ir-rule]: `B` is not a parameter of the kernel that uses it
#>   --> fail_kernel_parameter.py, line 4
#>   4 |     with kernel("k", grid=[1, 1, 1], block=64, smem=0, params=[A]) as bx:
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
