# test: lower target=sm_90a after=schedule_pipelines
# A barrier of the cluster in the loop, which a producer cannot skip.
def main(A: T.Tensor((1024, 64), "float16"), C: T.Tensor((1024, 64), "float16")):
    T.annotate_pass_configs({"tilelab.hardware_units": True})
    with T.Kernel(2, threads=128, cluster_dims=2) as x:
        a = T.alloc_shared((64, 64), "float16")
        received = T.alloc_shared((64, 64), "float16")
        for k in T.Pipelined(8, num_stages=2):
            T.copy(A[(x * 8 + k) * 64, 0], a)
            T.copy_cluster(a, received, dst_block=1 - x)
            T.cluster_sync()
            T.copy(received, C[(x * 8 + k) * 64, 0])
            T.cluster_sync()
#> warning[slow-fallback]: T.Pipelined is compiled as a loop in order, which is slower
#>   --> kernel.py, line 5
#>   5 |     with T.Kernel(2, threads=128, cluster_dims=2) as x:
#>     |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> note: a producer and consumers: it synchronizes the cluster before its last prefetched copy
#> note: prefetched copies in groups: it synchronizes the cluster before its last prefetched copy
#> help: copy whole shared buffers from tensors, and use them after the copy in the same loop
#>
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def main(A: tensor(f16, [1024, 64]), C: tensor(f16, [1024, 64])):
#>     check_tensor(A, align=16)
#>     check_tensor(C, align=16, write=True)
#>     with kernel("main_k0", grid=[2, 1, 1], block=128, attrs={"cluster": [2, 1, 1]}) as (x, by, bz):
#>         a = shared(f16, [64, 64])
#>         received = shared(f16, [64, 64])
#>         for k in serial(8):
#>             copy(A[(x * 8 + k) * 64:(x * 8 + k) * 64 + 64], a, by="simt")
#>             copy_cluster(a, received, block=1 - x)
#>             cluster_sync()
#>             copy(received, C[(x * 8 + k) * 64:(x * 8 + k) * 64 + 64], by="simt")
#>             cluster_sync()
