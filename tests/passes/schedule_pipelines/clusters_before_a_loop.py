# test: lower target=sm_90a after=schedule_pipelines
# Consumers would wait at the barrier for the end of a producer, which waits for them.
def main(A: T.Tensor((1024, 64), "float16"), B: T.Tensor((128, 64), "float16"), C: T.Tensor((1024, 128), "float32")):
    T.annotate_pass_configs({"tilelab.hardware_units": True})
    with T.Kernel(8, threads=128, cluster_dims=2) as x:
        a = T.alloc_shared((128, 32), "float16")
        b = T.alloc_shared((128, 32), "float16")
        c = T.alloc_fragment((128, 128), "float32")
        T.clear(c)
        T.cluster_sync()
        for k in T.Pipelined(2, num_stages=2):
            T.copy(A[x * 128, k * 32], a)
            T.copy(B[0, k * 32], b)
            T.gemm(a, b, c, transpose_B=True)
        T.copy(c, C[x * 128, 0])
#> warning[slow-fallback]: T.Pipelined is compiled as a loop in order, which is slower
#>   --> kernel.py, line 5
#>   5 |     with T.Kernel(8, threads=128, cluster_dims=2) as x:
#>     |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> note: a producer and consumers: it synchronizes the cluster before its last prefetched copy
#> note: prefetched copies in groups: it synchronizes the cluster before its last prefetched copy
#> help: copy whole shared buffers from tensors, and use them after the copy in the same loop
#>
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def main(A: tensor(f16, [1024, 64]), B: tensor(f16, [128, 64]), C: tensor(f32, [1024, 128])):
#>     check_tensor(A, align=16)
#>     check_tensor(B, align=16)
#>     check_tensor(C, align=16, write=True)
#>     with kernel("main_k0", grid=[8, 1, 1], block=128, attrs={"cluster": [2, 1, 1]}) as (x, by, bz):
#>         a = shared(f16, [128, 32], lay=[[a(128, 32)], [a(32, 1)]], swz=(16, 128, 3))
#>         b = shared(f16, [128, 32], lay=[[a(128, 32)], [a(32, 1)]], swz=(16, 128, 3))
#>         c = fragment(f32, [128, 128])
#>         fill(c, 0.0)
#>         cluster_sync()
#>         for k in serial(2):
#>             copy(A[x * 128:x * 128 + 128, k * 32:k * 32 + 32], a, by="simt")
#>             copy(B[0:128, k * 32:k * 32 + 32], b, by="simt")
#>             gemm(a, b, c, tB=True, clear=False, by="wgmma", inst=[64, 128, 16], warps=[4, 1])
#>         copy(c, C[x * 128:x * 128 + 128], by="simt")
