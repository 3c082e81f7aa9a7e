# test: diag
ir(2, level="tile")
def f(A: tensor(f32, [64])):
    pass
#> error[ir-header]: unsupported format: this version of tilelab reads format 1
#>   --> fail_header_version.py, line 2
#>   2 | ir(2, level="tile")
#>     | ^^^^^^^^^^^^^^^^^^^
#> help: start with ir(1, level="tile", target="mp_31"), with the level and the target of the text
