# test: diag
def f(A: tensor(f32, [64])):
    pass
#> error[ir-header]: expected `ir(1, level=...)` at the start of an IR text
#>   --> fail_header_missing.py, line 2
#>   2 | def f(A: tensor(f32, [64])):
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: start with ir(1, level="tile", target="mp_31"), with the level and the target of the text
