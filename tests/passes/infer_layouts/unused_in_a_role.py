# test: passes run=infer_layouts
# A fragment that nothing uses is held by the threads of the role that declares it.
ir(1, level="tile", target="mp_31", after="select_instructions")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=192) as bx:
        with role("brings", 128, 192):
            x = fragment(f32, [256])
        with role("adds", 0, 128):
            y = fragment(f32, [64])
#> ir(1, level="tile", target="mp_31", after="infer_layouts")
#> def f(A: tensor(f32, [64])):
#>     with kernel("k", grid=[1, 1, 1], block=192) as bx:
#>         with role("brings", 128, 192):
#>             x = fragment(f32, [256], lay=[[t(64, 1), r(4, 1)]])
#>         with role("adds", 0, 128):
#>             y = fragment(f32, [64], lay=[[t(64, 1)]], rep=[t(2, 64)])
