# test: passes run=insert_barriers
# Two loops over lanes give one name different values. Each thread writes its own elements in every iteration.
ir(1, level="tile", target="mp_31", after="plan_shared_memory")
def f(A: tensor(f32, [4096]), B: tensor(f32, [16, 256])):
    with kernel("k", grid=[1, 1, 1], block=64, smem=16384) as bx:
        s = shared(f32, [16, 256], at=0)
        w = local(f32, [8])
        for i in serial(8):
            for v in vec(8):
                index = i * 512 + tid * 8 + v
                w[v] = A[index]
            for v in vec(8):
                index = i * 512 + tid * 8 + v + 0 * i
                s[index // 256, index % 256] = w[v]
            for v in vec(8):
                index = i * 512 + v + tid * 8
                B[index // 256, index % 256] = s[index // 256, index % 256]
#> ir(1, level="tile", target="mp_31", after="insert_barriers")
#> def f(A: tensor(f32, [4096]), B: tensor(f32, [16, 256])):
#>     with kernel("k", grid=[1, 1, 1], block=64, smem=16384) as bx:
#>         s = shared(f32, [16, 256], at=0)
#>         w = local(f32, [8])
#>         for i in serial(8):
#>             for v in vec(8):
#>                 index = i * 512 + tid * 8 + v
#>                 w[v] = A[index]
#>             for v in vec(8):
#>                 index = i * 512 + tid * 8 + v + 0 * i
#>                 s[index // 256, index % 256] = w[v]
#>             for v in vec(8):
#>                 index = i * 512 + v + tid * 8
#>                 B[index // 256, index % 256] = s[index // 256, index % 256]
