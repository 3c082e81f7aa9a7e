# test: lower after=verify_kernel
def main(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, threads=64) as bx:
        s = T.alloc_shared((32, 64), "float16")
        f = T.alloc_fragment((32, 64), "float16")
        T.copy(A[0:64, 0:64], s[0, 0])
        T.copy(s[16, 0], f)
        T.copy(f[0, 0], B[0:64, 0:64])
#> error[out-of-bounds]: index 63 of `s` is out of bounds: dimension 0 has 32 elements
#>   --> kernel.py, line 6
#>   4 |         s = T.alloc_shared((32, 64), "float16")
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ allocated here
#>  ...
#>   6 |         T.copy(A[0:64, 0:64], s[0, 0])
#>     |                               ^^^^^^^
#> help: valid indices are 0 to 31
#>
#> error[out-of-bounds]: index 47 of `s` is out of bounds: dimension 0 has 32 elements
#>   --> kernel.py, line 7
#>   4 |         s = T.alloc_shared((32, 64), "float16")
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ allocated here
#>  ...
#>   7 |         T.copy(s[16, 0], f)
#>     |                ^^^^^^^^
#> help: valid indices are 0 to 31
#>
#> error[out-of-bounds]: index 63 of `f` is out of bounds: dimension 0 has 32 elements
#>   --> kernel.py, line 8
#>   5 |         f = T.alloc_fragment((32, 64), "float16")
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ allocated here
#>  ...
#>   8 |         T.copy(f[0, 0], B[0:64, 0:64])
#>     |                ^^^^^^^
#> help: valid indices are 0 to 31
