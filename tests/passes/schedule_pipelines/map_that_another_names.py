# test: passes run=schedule_pipelines
# A tensor map stays live as long as any statement names it.
ir(1, level="tile", target="sm_90a", after="select_instructions", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 256]), B: tensor(f16, [64, 256])):
    A_map = tensor_map(A, dims=[256, 64], strides=[512], box=[64, 64], swz=(16, 128, 7))
    B_map = tensor_map(B, dims=[256, 64], strides=[512], box=[64, 64], swz=(16, 128, 7))
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 128, 7))
        copy(A[0:64, 0:64], s, by="ldmatrix", map=A_map)
        copy(B[0:64, 0:64], s, by="engine", map=B_map)
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 256]), B: tensor(f16, [64, 256])):
#>     A_map = tensor_map(A, dims=[256, 64], strides=[512], box=[64, 64], swz=(16, 128, 7))
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         s = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 128, 7))
#>         copy(A[0:64, 0:64], s, by="ldmatrix", map=A_map)
#>         copy(B[0:64, 0:64], s, by="simt")
