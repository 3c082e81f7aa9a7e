# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64]), B: tensor(f16, [8, 8])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        x = local(f32)
#> error[ir-arguments]: `local` needs `shape`
#>   --> fail_missing_argument.py, line 5
#>   5 |         x = local(f32)
#>     |             ^^^^^^^^^^
#> help: compare it with the same operation in the output of %ir for a kernel
