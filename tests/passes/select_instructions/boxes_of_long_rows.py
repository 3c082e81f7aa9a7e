# test: passes run=select_instructions
# A box of mp_31 has at most 256 elements along a dimension. 288 rows are two boxes; rows of 304 elements would be two
# boxes each, which do not start at multiples of 128 bytes.
ir(1, level="tile", target="mp_31", after="verify_kernel")
def f(A: tensor(f16, [576, 32]), B: tensor(f16, [64, 304]), C: tensor(f32, [576, 32])):
    check_tensor(A, align=16)
    check_tensor(B, align=16)
    check_tensor(C, align=16, write=True)
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f16, [288, 32])
        b = shared(f16, [64, 304])
        for k in pipelined(2, stages=2):
            copy(A[k * 288:k * 288 + 288], a)
            copy(B[0:64], b)
            for i, j in parallel(288, 32):
                C[k * 288 + i, j] = f32(a[i, j]) + f32(b[0, j])
#> ir(1, level="tile", target="mp_31", after="select_instructions")
#> def f(A: tensor(f16, [576, 32]), B: tensor(f16, [64, 304]), C: tensor(f32, [576, 32])):
#>     check_tensor(A, align=16)
#>     check_tensor(B, align=16)
#>     check_tensor(C, align=16, write=True)
#>     A_map = tensor_map(A, dims=[32, 576], strides=[64])
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         a = shared(f16, [288, 32])
#>         b = shared(f16, [64, 304])
#>         for k in pipelined(2, stages=2):
#>             copy(A[k * 288:k * 288 + 288], a, by="engine", map=A_map)
#>             copy(B, b, by="async")
#>             for i, j in parallel(288, 32):
#>                 C[k * 288 + i, j] = f32(a[i, j]) + f32(b[0, j])
