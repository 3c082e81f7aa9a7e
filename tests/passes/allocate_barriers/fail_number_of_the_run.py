# test: passes run=allocate_barriers
ir(1, level="thread", target="mp_31", after="lower_tile_ops")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=256, smem=0) as bx:
        for k in serial(2):
            named_sync(k + 1, threads=256)
#> error[target-lacks]: `this barrier` is not available on mp_31: its number is dynamic, but barriers are initialized before
#>   --> fail_number_of_the_run.py, line 6
#>   6 |             named_sync(k + 1, threads=256)
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: number barriers with constants, and use whole warps
