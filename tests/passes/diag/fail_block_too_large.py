# test: lower after=verify_kernel
ir(1, level="tile", target="mp_31")
def main(A: tensor(f32, [64, 64]), B: tensor(f32, [64, 64])):
    with kernel("main_k0", grid=[1, 1, 1], block=4096) as bx:
        A[0, 0] = 1.0
#> error[block-too-large]: 4096 threads per block, but mp_31 supports at most 1024
#>   --> fail_block_too_large.py, line 4
#>   4 |     with kernel("main_k0", grid=[1, 1, 1], block=4096) as bx:
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: launch at most 1024 threads
