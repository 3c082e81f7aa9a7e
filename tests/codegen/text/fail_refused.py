# test: codegen
ir(1, level="flat", target="mp_31", after="simplify")
def main(A: tensor(f32, [64])):
    with kernel("main_k0", grid=[1, 1, 1], block=64, smem=0, params=[A]) as (bx, by, bz):
        x = activemask()
        if x == 7:
            A[tid] = 1.0
#> error[codegen-refused]: `activemask` is not supported for mp_31: not written yet
#>   --> fail_refused.py, line 5
#>   5 |         x = activemask()
#>     |             ^^^^^^^^^^^^
#> help: choose another target (%target), or use another operation
