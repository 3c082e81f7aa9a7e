# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64])):
    check(A[0] > 0.0, "arg-value")
    with kernel("k", grid=[1, 1], block=128) as bx:
        with role("producer", 0, 64):
            pass
        with role("consumer", 32, 200):
            pass
