# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64])):
    b = tensor_map(A, dims=[0.5], strides=[])
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        for i in unroll(0, u8(3)):
            A[0] = 1.0
        for i in serial(0, 8, vec=4):
            A[tid] = 1.0
        for i in serial(1, 8, vec=4):
            A[tid] = 1.0
        A[u8(tid)] = 1.0
#> error[ir-type]: this is f32, but i32 or i64 for a dimension is needed
#>   --> fail_type_counts.py, line 4
#>   4 |     b = tensor_map(A, dims=[0.5], strides=[])
#>     |                             ^^^
#> help: convert it, as in f32(x); write a condition as a comparison, as in x != 0
#>
#> error[ir-type]: this is u8, but i32 or i64 for a loop step is needed
#>   --> fail_type_counts.py, line 6
#>   6 |         for i in unroll(0, u8(3)):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: convert it, as in f32(x); write a condition as a comparison, as in x != 0
#>
#> error[ir-type]: this is u8, but i32 or i64 for a loop bound is needed
#>   --> fail_type_counts.py, line 6
#>   6 |         for i in unroll(0, u8(3)):
#>     |                         ^
#> help: convert it, as in f32(x); write a condition as a comparison, as in x != 0
#>
#> error[ir-type]: this is u8, but i32 or i64 for a loop bound is needed
#>   --> fail_type_counts.py, line 6
#>   6 |         for i in unroll(0, u8(3)):
#>     |                               ^
#> help: convert it, as in f32(x); write a condition as a comparison, as in x != 0
#>
#> error[ir-rule]: a loop with `vec` has a constant number of iterations, starting at 0
#>   --> fail_type_counts.py, line 10
#>  10 |         for i in serial(1, 8, vec=4):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-type]: this is u8, but i32 or i64 for an index is needed
#>   --> fail_type_counts.py, line 12
#>  12 |         A[u8(tid)] = 1.0
#>     |           ^^^^^^^
#> help: convert it, as in f32(x); write a condition as a comparison, as in x != 0
