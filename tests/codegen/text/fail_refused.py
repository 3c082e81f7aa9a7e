# test: codegen
ir(1, level="flat", target="mp_22", after="simplify")
def main(A: tensor(f32, [64])):
    with kernel("main_k0", grid=[1, 1, 1], block=64, smem=0, params=[A]) as (bx, by, bz):
        x = ballot(tid < 3)
        if x == 7:
            A[tid] = 1.0
#> error[codegen-refused]: `ballot` can't be written for mp_22: its warps have 128 lanes, masks 32 bits
#>   --> fail_refused.py, line 5
#>   5 |         x = ballot(tid < 3)
#>     |             ^^^^^^^^^^^^^^^
