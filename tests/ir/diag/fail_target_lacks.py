# test: verify
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        a = local(f16, [8])
        s = shared(f16, [64])
        ldmatrix(a[0:8], s[0])
#> error[target-lacks]: `ldmatrix` is not available on mp_31: it has no ldmatrix
#>   --> fail_target_lacks.py, line 7
#>   7 |         ldmatrix(a[0:8], s[0])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^
#> help: choose a target that has it (%target), or another operation
