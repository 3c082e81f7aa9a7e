# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64]), N: i32):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        a = exp2(N, type=i32)
        b = popcount(A[tid])
        c = minimum(N < 3, N < 4)
        d = (N < 3) + (N < 4)
        g = exp2(A[tid], type=i32)
        h = bits(u16, N)
        j = bar_init(N)
        exp(A[tid])
        w = philox(N, N, N)
#> error[ir-rule]: operand 0 of `exp2` is a float
#>   --> fail_type_operands.py, line 5
#>   5 |         a = exp2(N, type=i32)
#>     |         ^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: operand 0 of `popcount` is an integer
#>   --> fail_type_operands.py, line 6
#>   6 |         b = popcount(A[tid])
#>     |         ^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: operand 0 of `minimum` is a number
#>   --> fail_type_operands.py, line 7
#>   7 |         c = minimum(N < 3, N < 4)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: operand 1 of `minimum` is a number
#>   --> fail_type_operands.py, line 7
#>   7 |         c = minimum(N < 3, N < 4)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `+` of truths
#>   --> fail_type_operands.py, line 8
#>   8 |         d = (N < 3) + (N < 4)
#>     |         ^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-type]: this is i32, but f32, which `exp2` gives, is needed
#>   --> fail_type_operands.py, line 9
#>   9 |         g = exp2(A[tid], type=i32)
#>     |             ^^^^^^^^^^^^^^^^^^^^^^
#> help: convert it, as in f32(x); write a condition as a comparison, as in x != 0
#>
#> error[ir-rule]: `bits` must keep the number of bits: i32 is not u16
#>   --> fail_type_operands.py, line 10
#>  10 |         h = bits(u16, N)
#>     |         ^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: operand 0 of `bar_init` is a barrier
#>   --> fail_type_operands.py, line 11
#>  11 |         j = bar_init(N)
#>     |         ^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `bar_init` gives no value
#>   --> fail_type_operands.py, line 11
#>  11 |         j = bar_init(N)
#>     |         ^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `exp` has no side effect, and its value is unused
#>   --> fail_type_operands.py, line 12
#>  12 |         exp(A[tid])
#>     |         ^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: operand 0 of `philox` is a u64
#>   --> fail_type_operands.py, line 13
#>  13 |         w = philox(N, N, N)
#>     |         ^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: operand 1 of `philox` is a u64
#>   --> fail_type_operands.py, line 13
#>  13 |         w = philox(N, N, N)
#>     |         ^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: operand 2 of `philox` is a u64
#>   --> fail_type_operands.py, line 13
#>  13 |         w = philox(N, N, N)
#>     |         ^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
