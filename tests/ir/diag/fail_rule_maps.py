# test: diag
ir(1, level="tile", target="mp_31", after="canonicalize")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        x = shared(f32, [8, 8], where=lambda i, j: [i * 8 + (j + i) % 4])
        y = shared(f32, [8, 8], where=lambda i: [i])
        z = shared(f32, [8, 8], where=lambda i, j: [i - j])
        u = shared(f32, [8, 8], where=lambda i, j: [i, j])
        v = shared(f32, [8, 8], where=lambda i, j: [i * 8 + j + bx])
        w = shared(f32, [8, 8], where=3)
#> error[ir-constant]: expected a map: this one puts two elements at (0)
#>   --> fail_rule_maps.py, line 5
#>   5 |         x = shared(f32, [8, 8], where=lambda i, j: [i * 8 + (j + i) % 4])
#>     |                                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write a literal number, word or list: attributes are constants
#>
#> error[ir-constant]: expected a map: this one does not have one index for each dimension
#>   --> fail_rule_maps.py, line 6
#>   6 |         y = shared(f32, [8, 8], where=lambda i: [i])
#>     |                                       ^^^^^^^^^^^^^
#> help: write a literal number, word or list: attributes are constants
#>
#> error[ir-constant]: expected a map: this one puts an element below 0
#>   --> fail_rule_maps.py, line 7
#>   7 |         z = shared(f32, [8, 8], where=lambda i, j: [i - j])
#>     |                                       ^^^^^^^^^^^^^^^^^^^^
#> help: write a literal number, word or list: attributes are constants
#>
#> error[ir-constant]: expected a map: this one does not depend on the indices only
#>   --> fail_rule_maps.py, line 9
#>   9 |         v = shared(f32, [8, 8], where=lambda i, j: [i * 8 + j + bx])
#>     |                                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write a literal number, word or list: attributes are constants
#>
#> error[ir-constant]: expected lambda i, j: [the location of element i, j]
#>   --> fail_rule_maps.py, line 10
#>  10 |         w = shared(f32, [8, 8], where=3)
#>     |                                       ^
#> help: write a literal number, word or list: attributes are constants
