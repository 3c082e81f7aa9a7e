# test: diag
# Engines and asynchronous copies reach tensors and shared memory.
ir(1, level="tile", target="sm_90a", after="select_instructions")
def f(A: tensor(f16, [64]), B: tensor(f16, [64])):
    A_map = tensor_map(A, dims=[64], strides=[], box=[64])
    with kernel("k", grid=[1, 1, 1], block=128) as bx:
        s = shared(f16, [64])
        x = fragment(f16, [64])
        copy(A, x, by="engine", map=A_map)
        copy(A, B, by="engine", map=A_map)
        copy(A, x, by="async")
        copy(s, A, by="async")
        copy(s, A, by="engine", map=A_map)
        copy(A, s, by="async")
#> error[ir-rule]: a copy by engine goes between a tensor and shared memory
#>   --> fail_rule_copies.py, line 9
#>   9 |         copy(A, x, by="engine", map=A_map)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: a copy by engine goes between a tensor and shared memory
#>   --> fail_rule_copies.py, line 10
#>  10 |         copy(A, B, by="engine", map=A_map)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: a copy by async goes from a tensor to shared memory
#>   --> fail_rule_copies.py, line 11
#>  11 |         copy(A, x, by="async")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: a copy by async goes from a tensor to shared memory
#>   --> fail_rule_copies.py, line 12
#>  12 |         copy(s, A, by="async")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
