# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64]), B: tensor(f16, [8, 8])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        x = local(f32, [8], lya=[[r(8, 1)]])
#> error[ir-arguments]: `local` takes no `lya`
#>   --> fail_unknown_argument.py, line 5
#>   5 |         x = local(f32, [8], lya=[[r(8, 1)]])
#>     |                                 ^^^^^^^^^^^
#> help: did you mean `lay`?
