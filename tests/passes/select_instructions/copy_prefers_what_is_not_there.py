# test: passes run=select_instructions
# There is no copy engine: the requested strategy is rejected, with a warning.
ir(1, level="tile", target="sm_80", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [64, 256])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        for k in pipelined(4, stages=2):
            copy(A[0:64, k * 64:k * 64 + 64], s, attrs={"prefer_instruction": "tma"})
            gemm(s, s, c, tB=True, clear=False)
#> warning[slow-fallback]: T.copy is compiled as asynchronous copies of the threads, which is slower
#>   --> copy_prefers_what_is_not_there.py, line 9
#>   9 |             copy(A[0:64, k * 64:k * 64 + 64], s, attrs={"prefer_instruction": "tma"})
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> note: the program prefers tma: the target has no copy engine
#> help: leave the preference out, or give the copy the alignment and shape that it needs
#>
#> ir(1, level="tile", target="sm_80", after="select_instructions", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [64, 256])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         s = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], swz=(16, 128, 7))
#>         c = fragment(f32, [64, 64])
#>         for k in pipelined(4, stages=2):
#>             copy(A[0:64, k * 64:k * 64 + 64], s, by="async", attrs={"prefer_instruction": "tma"})
#>             gemm(s, s, c, tB=True, clear=False, by="mma", inst=[16, 8, 16], warps=[2, 2])
