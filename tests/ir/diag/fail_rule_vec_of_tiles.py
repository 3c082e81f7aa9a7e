# test: diag
# A loop that is a vector does elements at once.
ir(1, level="tile", target="mp_31", after="canonicalize")
def f(A: tensor(f16, [64, 256])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f16, [64, 64])
        for k in serial(4, vec=4):
            copy(A[0:64, k * 64:k * 64 + 64], a)
        for k in serial(4, stages=2, vec=4):
            A[k, 0] = 1.0
#> error[ir-rule]: a loop with `vec` processes elements, not tile operations
#>   --> fail_rule_vec_of_tiles.py, line 7
#>   7 |         for k in serial(4, vec=4):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: a loop with `vec` processes elements, not tile operations
#>   --> fail_rule_vec_of_tiles.py, line 9
#>   9 |         for k in serial(4, stages=2, vec=4):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
