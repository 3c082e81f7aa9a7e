# test: diag
ir(2, level="tile")
def f(A: tensor(f32, [64])):
    pass
