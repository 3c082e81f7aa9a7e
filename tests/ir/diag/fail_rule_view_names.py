# test: diag
ir(1, level="tile", target="mp_31")
def f(A: tensor(f32, [8, 64])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        s = shared(f32, [64])
        for i in serial(0, 4):
            v = view(s, f32, [8, 8])
            copy(A[i:i + 1, 0:8], v[i:i + 1, 0:8])
        for i in serial(0, 4):
            v = view(s, f32, [4, 16])
            copy(A[i:i + 1, 0:16], v[i:i + 1, 0:16])
#> error[ir-rule]: two buffers of the function have the name `v`
#>   --> fail_rule_view_names.py, line 10
#>  10 |             v = view(s, f32, [4, 16])
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
