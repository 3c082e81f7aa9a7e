# test: passes run=lower_tile_ops
# Copies by an engine are not lowered yet: never as plain loads and stores.
ir(1, level="tile", target="mp_31", after="insert_barriers")
def load(A: tensor(f16, [64, 64])):
    with kernel("load_k0", grid=[1, 1, 1], block=128) as (bx, by, bz):
        A_s = shared(f16, [64, 64])
        copy(A[0:64, 0:64], A_s[0:64, 0:64], by="engine")
        copy(A[0:64, 0:64], A_s[0:64, 0:64], by="async")
#> error[pass-not-built]: lower_tile_ops does not lower a copy by engine yet
#>   --> fail_engine_copy.py, line 7
#>   7 |         copy(A[0:64, 0:64], A_s[0:64, 0:64], by="engine")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#>
#> error[pass-not-built]: lower_tile_ops does not lower a copy by async yet
#>   --> fail_engine_copy.py, line 8
#>   8 |         copy(A[0:64, 0:64], A_s[0:64, 0:64], by="async")
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
