# test: lower after=verify_kernel
ir(1, level="tile", target="mp_31")
def main(A: tensor(f32, [64, 64]), B: tensor(f32, [64, 64])):
    with kernel("main_k0", grid=[1, 1, 1], block=64) as bx:
        s = shared(f32, [64])
        s[64] = 1.0
#> error[out-of-bounds]: index 64 of `s` is out of bounds: dimension 0 has 64 elements
#>   --> fail_index_out_of_range.py, line 6
#>   5 |         s = shared(f32, [64])
#>     |         ~~~~~~~~~~~~~~~~~~~~~ allocated here
#>   6 |         s[64] = 1.0
#>     |         ^^^^^^^^^^^
#> help: valid indices are 0 to 63
