# test: diag
ir(1, level="tile", target="sm_90a")
def f(P: tensor(i64, [4], pointers=True), Q: tensor(f32, [4], pointers=True), R: tensor(f32, [4], address=i64(0)), n: i32):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        v = var(i64, 0)
        a = P[0]
        m = bx + 1
        A = tensor(f32, [64])
        B = tensor(f32, [64], address=v)
        C = tensor(f32, [64], address=P[1])
        E = tensor(f32, [m], address=a)
        F = tensor(f32, [n, 4], strides=[8, 1], address=a + 64)
        S = shared(f32, [64], address=a)
        F[0, 0] = 1.0
#> error[ir-rule]: `Q` can't hold pointers: they are i64 elements of tensors
#>   --> fail_address.py, line 3
#>   3 | def f(P: tensor(i64, [4], pointers=True), Q: tensor(f32, [4], pointers=True), R: tensor(f32, …
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `R` has an address, but is not a tensor of a kernel
#>   --> fail_address.py, line 3
#>   3 | def f(P: tensor(i64, [4], pointers=True), Q: tensor(f32, [4], pointers=True), R: tensor(f32, …
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `A` is a tensor: a parameter of the function, a workspace, or at an address
#>   --> fail_address.py, line 8
#>   8 |         A = tensor(f32, [64])
#>     |         ^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the address of `B` depends on a variable
#>   --> fail_address.py, line 9
#>   9 |         B = tensor(f32, [64], address=v)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the address of `C` reads memory, or calls a function
#>   --> fail_address.py, line 10
#>  10 |         C = tensor(f32, [64], address=P[1])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the call does not determine the extents of `E`
#>   --> fail_address.py, line 11
#>  11 |         E = tensor(f32, [m], address=a)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `S` has an address, but is not a tensor of a kernel
#>   --> fail_address.py, line 13
#>  13 |         S = shared(f32, [64], address=a)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
