# test: diag
# Numbers of a fragment's elements lead back to their indices.
ir(1, level="tile", target="mp_31", after="canonicalize")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        x = fragment(f32, [22], lay=[[t(22, 1)]], where=lambda i: [(i + 1) * (i + 1) * (i + 1) % 23 - 1])
        y = fragment(f32, [4, 4], lay=[[t(16, 1)]], where=lambda i, j: [i * 4 + (j + i) % 4])
#> error[ir-rule]: the map of `x` cannot be inverted by an expression
#>   --> fail_rule_numbers.py, line 6
#>   6 |         x = fragment(f32, [22], lay=[[t(22, 1)]], where=lambda i: [(i + 1) * (i + 1) * (i + 1…
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
