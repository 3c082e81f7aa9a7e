# test: diag
def f(A: tensor(f32, [64])):
    pass
