# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        a = shared(f32, [0, 32])
        b = local(f32, [2147483647])
        c = shared(f32, [16, 32], swz=(64, 0, 0))
        d = shared(f32, [16, 32], swz=(16, 64, 7))
        e = tensor(f32, [64])
        g = barrier([4, 4], count=1)
        h = barrier([4], count=-1)
        i = shared(f32, [16], lay=[[a(1000000, 1), a(1000000, 1)]])
        s = shared(f32, [16], at=-2)
        n = shared(f32, [])
#> error[ir-rule]: the shape of `a` has the extent 0
#>   --> fail_rule_memory.py, line 5
#>   5 |         a = shared(f32, [0, 32])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `b` is larger than the memory of any block
#>   --> fail_rule_memory.py, line 6
#>   6 |         b = local(f32, [2147483647])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the swizzle of `c` is (granule, line, mask) with (mask + 1) * granule <= line, both powers of two
#>   --> fail_rule_memory.py, line 7
#>   7 |         c = shared(f32, [16, 32], swz=(64, 0, 0))
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the swizzle of `d` is (granule, line, mask) with (mask + 1) * granule <= line, both powers of two
#>   --> fail_rule_memory.py, line 8
#>   8 |         d = shared(f32, [16, 32], swz=(16, 64, 7))
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `e` is a tensor: a parameter of the function, a workspace, or at an address
#>   --> fail_rule_memory.py, line 9
#>   9 |         e = tensor(f32, [64])
#>     |         ^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the barriers `g` have one dimension
#>   --> fail_rule_memory.py, line 10
#>  10 |         g = barrier([4, 4], count=1)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: a phase of the barriers `h` ends after -1 arrivals
#>   --> fail_rule_memory.py, line 11
#>  11 |         h = barrier([4], count=-1)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the layout of `i` has a digit without an extent, or too large a one
#>   --> fail_rule_memory.py, line 12
#>  12 |         i = shared(f32, [16], lay=[[a(1000000, 1), a(1000000, 1)]])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `s` has no offset -2 in shared memory
#>   --> fail_rule_memory.py, line 13
#>  13 |         s = shared(f32, [16], at=-2)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: `n` has no dimension: a layout has one or more, and one element has the shape [1]
#>   --> fail_rule_memory.py, line 14
#>  14 |         n = shared(f32, [])
#>     |         ^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
