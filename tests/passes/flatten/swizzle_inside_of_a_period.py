# test: passes run=flatten
# Slots and rows that are whole periods of the swizzle stay outside of it: the remainder is one value for
# every slot.
ir(1, level="thread", target="sm_80", after="vectorize")
def f(A: tensor(f16, [4, 64, 32])):
    with kernel("k", grid=[1, 1, 1], block=64, smem=16640) as bx:
        s = shared(f16, [4, 64, 32], lay=[[a(4, 2048)], [a(64, 32)], [a(32, 1)]], swz=(16, 128, 3), at=256)
        for i in serial(4):
            for j in unroll(4):
                s[i, j * 16 + tid // 4, tid % 4 * 8] = A[i, j * 16 + tid // 4, tid % 4 * 8]
#> ir(1, level="flat", target="sm_80", after="flatten")
#> def f(A: tensor(f16, [4, 64, 32])):
#>     with kernel("k", grid=[1, 1, 1], block=64, smem=16640, params=[A]) as bx:
#>         s = shared(f16, [8192], at=256)
#>         for i in serial(4):
#>             for j in unroll(4):
#>                 s[i * 2048 + j * 512 + (tid * 8 + 128 ^ (tid // 8 + 2 & 3) * 8) - 128] = A[i * 2048 + j * 512 + tid * 8]
