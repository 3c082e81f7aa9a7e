# test: diag
# Only a copy engine that stores can add, and not on every target.
ir(1, level="tile", target="mp_31")
def f(A: tensor(f32, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = shared(f32, [64, 64])
        copy(A[0:64, 0:64], s, by="engine", adds=True)
        copy(s, A[0:64, 0:64], by="simt", adds=True)
#> error[ir-rule]: a copy that adds goes from shared memory to a tensor by engine
#>   --> fail_rule_copy_that_adds.py, line 7
#>   7 |         copy(A[0:64, 0:64], s, by="engine", adds=True)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: a copy that adds goes from shared memory to a tensor by engine
#>   --> fail_rule_copy_that_adds.py, line 8
#>   8 |         copy(s, A[0:64, 0:64], by="simt", adds=True)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
