# test: diag
ir(1, level="flat", target="mp_31")
def f(A: tensor(f32, [8, 8])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        s = shared(f32, [64], lay=[[a(64, 1)]], at=0)
        with role("all", 0, 64):
            A[tid, 0] = s[tid]
