# test: passes run=flatten
# If box and swizzle belong to the instruction, a store states them as a load does.
ir(1, level="thread", target="mp_31", after="vectorize")
def f(C: tensor(f16, [64, 64])):
    C_map = tensor_map(C, dims=[64, 64], strides=[128])
    with kernel("k", grid=[1, 1, 1], block=32, smem=8192) as bx:
        s = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 256, 15), at=0)
        if leader("block"):
            tma_store(C_map, [0, 0], s[0:64, 0:64])
            bulk_commit()
            bulk_wait(0)
#> ir(1, level="flat", target="mp_31", after="flatten")
#> def f(C: tensor(f16, [64, 64])):
#>     C_map = tensor_map(C, dims=[64, 64], strides=[128])
#>     with kernel("k", grid=[1, 1, 1], block=32, smem=8192, params=[C_map]) as bx:
#>         s = shared(f16, [4096], at=0)
#>         if leader("block"):
#>             tma_store(C_map, [0, 0], 0, box=[64, 64], granule=16)
#>             bulk_commit()
#>             bulk_wait(0)
