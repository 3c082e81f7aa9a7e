# test: diag
ir(1, level="warp")
def f(A: tensor(f32, [64])):
    pass
