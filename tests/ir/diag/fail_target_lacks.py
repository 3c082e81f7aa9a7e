# test: verify
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        a = local(f32, [8])
        mma(a[0:4], a[0:4], a[0:4], shape="m16n8k16")
#> error[target-lacks]: `mma` is not there on mp_31: it has no mma of one warp
#>   --> fail_target_lacks.py, line 6
#>   6 |         mma(a[0:4], a[0:4], a[0:4], shape="m16n8k16")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: choose a target that has it (%target), or another operation
