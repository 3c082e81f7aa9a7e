# test: diag
ir(1, level="tile", target="mp_31")
def f(A: tensor(f32, [64]), N: i32):
    work = workspace(i32, [1], zeroed=True)
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        s = shared(f32, [64])
        for i in serial(0, 64, N):
            pass
        for i in serial(0, 64, -1):
            pass
        for i in unroll(bx, 64):
            pass
        for i in tiles([5], source="stride", stride=0, order="last_fastest"):
            pass
        for i in tiles([5], source="mailbox", counter=work, order="last_fastest"):
            pass
        r = ring(2, fill="arrive", bytes=4, producer="", consumer="", unit="warp", arrivals=0)
        for i in tiles([5], source="mailbox", ring=r, order="last_fastest"):
            pass
        mail = shared(i32, [2], ring=r)
        for i in tiles([i64(5)], source="mailbox", ring=r, order="last_fastest"):
            pass
#> error[ir-rule]: the step of a loop is a constant
#>   --> fail_rule_loops.py, line 7
#>   7 |         for i in serial(0, 64, N):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the step of a loop is 1 or more, not -1
#>   --> fail_rule_loops.py, line 9
#>   9 |         for i in serial(0, 64, -1):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: an unrolled loop has constant bounds
#>   --> fail_rule_loops.py, line 11
#>  11 |         for i in unroll(bx, 64):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the stride of a loop over tiles is 1 or more, not 0
#>   --> fail_rule_loops.py, line 13
#>  13 |         for i in tiles([5], source="stride", stride=0, order="last_fastest"):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the tickets of a mailbox are passed through a ring
#>   --> fail_rule_loops.py, line 15
#>  15 |         for i in tiles([5], source="mailbox", counter=work, order="last_fastest"):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: a counter of tickets is a global buffer of 2 i32
#>   --> fail_rule_loops.py, line 15
#>  15 |         for i in tiles([5], source="mailbox", counter=work, order="last_fastest"):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the ring `r` must be declared at the start of its kernel, where its barriers are initialized
#>   --> fail_rule_loops.py, line 17
#>  17 |         r = ring(2, fill="arrive", bytes=4, producer="", consumer="", unit="warp", arrivals=0)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the ring of a mailbox has a buffer of i32, declared before the loop over its tickets
#>   --> fail_rule_loops.py, line 18
#>  18 |         for i in tiles([5], source="mailbox", ring=r, order="last_fastest"):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: tickets count tiles in i32
#>   --> fail_rule_loops.py, line 21
#>  21 |         for i in tiles([i64(5)], source="mailbox", ring=r, order="last_fastest"):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
