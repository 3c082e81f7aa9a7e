ir(1, level="tile", target="sm_80")
def f(A: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        s = shared(f16, [16, 64])
        for k in pipelined(4, stages=2):
            for i, j in parallel(16, 32):
                cp_async(s[i, j * 2:j * 2 + 2], A[k * 16 + i, j * 2:j * 2 + 2], j)