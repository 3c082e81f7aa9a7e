# test: lower target=sm_80 after=schedule_pipelines
# Each iteration waits for another block, whose data a prefetch would not wait for.
def main(A: T.Tensor((128, 256), "float16"), B: T.Tensor((256, 128), "float16"), C: T.Tensor((128, 128), "float32"), F: T.Tensor((4,), "int32")):
    with T.Kernel(1, threads=128):
        a = T.alloc_shared((128, 64), "float16")
        b = T.alloc_shared((64, 128), "float16")
        c = T.alloc_fragment((128, 128), "float32")
        T.clear(c)
        for k in T.Pipelined(4, num_stages=3):
            while T.atomic_load(F[k], memory_order="acquire") == 0:
                pass
            T.copy(A[0, k * 64], a)
            T.copy(B[k * 64, 0], b)
            T.gemm(a, b, c)
        T.copy(c, C)
#> warning[slow-fallback]: T.Pipelined is compiled as a loop in order, which is slower
#>   --> kernel.py, line 4
#>   4 |     with T.Kernel(1, threads=128):
#>     |          ^^^^^^^^^^^^^^^^^^^^^^^^
#> note: a producer and consumers: the target has no copy engine with barriers
#> note: prefetched copies in groups: no loop of two stages has an asynchronous copy to prefetch
#> help: copy whole shared buffers from tensors, and use them after the copy in the same loop
#>
#> ir(1, level="tile", target="sm_80", after="schedule_pipelines")
#> def main(A: tensor(f16, [128, 256]), B: tensor(f16, [256, 128]), C: tensor(f32, [128, 128]), F: tensor(i32, [4])):
#>     check_tensor(A, align=16)
#>     check_tensor(B, align=16)
#>     check_tensor(C, align=16, write=True)
#>     check_tensor(F, align=16)
#>     with kernel("main_k0", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         a = shared(f16, [128, 64], lay=[[a(128, 64)], [a(64, 1)]], swz=(16, 128, 7))
#>         b = shared(f16, [64, 128], lay=[[a(64, 64)], [a(2, 4096), a(64, 1)]], swz=(16, 128, 7))
#>         c = fragment(f32, [128, 128])
#>         fill(c, 0.0)
#>         for k in serial(4):
#>             again = var(bool, True)
#>             while again:
#>                 t = atomic_load(F[k], order="acquire")
#>                 again = t == 0
#>             copy(A[0:128, k * 64:k * 64 + 64], a, by="simt")
#>             copy(B[k * 64:k * 64 + 64], b, by="simt")
#>             gemm(a, b, c, clear=False, by="mma", inst=[16, 8, 16], warps=[2, 2])
#>         copy(c, C, by="simt")
