# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64]), B: tensor(f16, [8, 8])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        A[tid] += 1.0
        lambda: 1
        for i in range(4):
            pass
