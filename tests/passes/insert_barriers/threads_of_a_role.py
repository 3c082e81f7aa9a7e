# test: passes run=insert_barriers
# A role counts its threads from 0: no two of its 64 threads write the same element in two iterations. 128 threads would.
ir(1, level="tile", target="mp_31", after="plan_shared_memory")
def f(A: tensor(f32, [16, 128])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=8192) as bx:
        s = shared(f32, [16, 128], at=0)
        with role("p", 0, 64):
            for i in serial(8):
                s[(i * 256 + tid * 4) // 128, (i * 256 + tid * 4) % 128] = 1.0
        with role("c", 64, 128):
            for i in serial(8):
                A[(i * 256 + tid * 4) // 128, (i * 256 + tid * 4) % 128] = 2.0
#> ir(1, level="tile", target="mp_31", after="insert_barriers")
#> def f(A: tensor(f32, [16, 128])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=8192) as bx:
#>         s = shared(f32, [16, 128], at=0)
#>         with role("p", 0, 64):
#>             for i in serial(8):
#>                 s[(i * 256 + tid * 4) // 128, (i * 256 + tid * 4) % 128] = 1.0
#>         with role("c", 64, 128):
#>             for i in serial(8):
#>                 A[(i * 256 + tid * 4) // 128, (i * 256 + tid * 4) % 128] = 2.0
