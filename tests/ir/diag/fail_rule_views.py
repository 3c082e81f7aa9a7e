# test: diag
ir(1, level="tile", target="mp_31")
def f(A: tensor(f32, [64]), N: i32):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        s = shared(f32, [8, 8])
        x = fragment(f32, [64], lay=[[t(64, 1)]])
        a = view(s, f32, [8, 9])
        b = view(s, f32, [8, N])
        c = view(x, f16, [64, 2])
        d = view(x, f64, [32])
        e = view(A, f32, [x, 1])
#> error[ir-rule]: the view `a` has another size than `s`
#>   --> fail_rule_views.py, line 7
#>   7 |         a = view(s, f32, [8, 9])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the shape of the view `b` is not constant, or empty
#>   --> fail_rule_views.py, line 8
#>   8 |         b = view(s, f32, [8, N])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the view `d` cuts through the layout of `x`
#>   --> fail_rule_views.py, line 10
#>  10 |         d = view(x, f64, [32])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the shape of the view `e` is of i32 or i64
#>   --> fail_rule_views.py, line 11
#>  11 |         e = view(A, f32, [x, 1])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
