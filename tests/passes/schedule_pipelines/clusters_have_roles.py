# test: lower target=sm_90a after=schedule_pipelines
# The consumers' barrier of the cluster comes after the loop, when the producer has ended. Blocks of a cluster stay together: they are not persistent.
def main(A: T.Tensor((1024, 64), "float16"), B: T.Tensor((128, 64), "float16"), C: T.Tensor((1024, 128), "float32")):
    T.annotate_pass_configs({"tilelab.hardware_units": True, "tilelab.processors": 2})
    with T.Kernel(2, 8, threads=128, cluster_dims=(2, 1)) as (x, y):
        a = T.alloc_shared((128, 32), "float16")
        b = T.alloc_shared((128, 32), "float16")
        c = T.alloc_fragment((128, 128), "float32")
        received = T.alloc_shared((128, 64), "float32")
        T.clear(c)
        for k in T.Pipelined(2, num_stages=2):
            T.copy(A[y * 128, k * 32], a)
            T.copy(B[0, k * 32], b)
            T.gemm(a, b, c, transpose_B=True)
        T.copy_cluster(c[0:128, 0:64], received, dst_block=1 - x)
        T.cluster_sync()
        T.copy(received, C[y * 128, x * 64])
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True, "tilelab.processors": 2})
#> def main(A: tensor(f16, [1024, 64]), B: tensor(f16, [128, 64]), C: tensor(f32, [1024, 128])):
#>     check_tensor(A, align=16)
#>     check_tensor(B, align=16)
#>     check_tensor(C, align=16, write=True)
#>     A_map = tensor_map(A, dims=[64, 1024], strides=[128], box=[32, 128], swz=(16, 128, 3))
#>     B_map = tensor_map(B, dims=[64, 128], strides=[128], box=[32, 128], swz=(16, 128, 3))
#>     with kernel("main_k0", grid=[2, 8, 1], block=256, attrs={"cluster": [2, 1, 1], "min_blocks": 2}) as (x, y, bz):
#>         ring = ring(2, fill="tx", bytes=16384, producer="producer", consumer="consumer", unit="group", arrivals=1)
#>         a = shared(f16, [2, 128, 32], lay=[[a(2, 4096)], [a(128, 32)], [a(32, 1)]], swz=(16, 128, 3), ring=ring)
#>         b = shared(f16, [2, 128, 32], lay=[[a(2, 4096)], [a(128, 32)], [a(32, 1)]], swz=(16, 128, 3), ring=ring)
#>         received = shared(f32, [128, 64])
#>         with role("producer", 0, 128, regs=56):
#>             for k in serial(2):
#>                 s = ring_acquire(ring)
#>                 copy(A[y * 128:y * 128 + 128, k * 32:k * 32 + 32], a[s], by="engine", map=A_map)
#>                 copy(B[0:128, k * 32:k * 32 + 32], b[s], by="engine", map=B_map)
#>                 ring_commit(ring)
#>         with role("consumer", 128, 256, regs=200):
#>             c = fragment(f32, [128, 128])
#>             fill(c, 0.0)
#>             for k in serial(2):
#>                 s = ring_wait(ring)
#>                 gemm(a[s], b[s], c, tB=True, clear=False, by="wgmma", inst=[64, 128, 16], warps=[4, 1])
#>                 ring_release(ring)
#>             copy_cluster(c[0:128, 0:64], received, block=1 - x)
#>             cluster_sync()
#>             copy(received, C[y * 128:y * 128 + 128, x * 64:x * 64 + 64], by="simt")
