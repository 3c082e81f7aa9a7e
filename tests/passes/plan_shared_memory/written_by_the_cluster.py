# test: lower target=sm_90a after=plan_shared_memory
# Other blocks write `received` while this one still fills the slots of its ring: they share no memory.
def main(A: T.Tensor((1024, 512), "float16"), B: T.Tensor((256, 512), "float16"), C: T.Tensor((1024, 256), "float32")):
    T.annotate_pass_configs({"tilelab.hardware_units": True})
    with T.Kernel(2, 8, threads=256, cluster_dims=(2, 1)) as (x, y):
        a = T.alloc_shared((128, 64), "float16")
        b = T.alloc_shared((256, 64), "float16")
        c = T.alloc_fragment((128, 256), "float32")
        received = T.alloc_shared((128, 128), "float32")
        T.clear(c)
        for k in T.Pipelined(8, num_stages=4):
            T.copy(A[y * 128, k * 64], a)
            T.copy(B[0, k * 64], b)
            T.gemm(a, b, c, transpose_B=True)
        T.copy_cluster(c[0:128, 0:128], received, dst_block=1 - x)
        T.cluster_sync()
        T.copy(received, C[y * 128, x * 128])
#> ir(1, level="tile", target="sm_90a", after="plan_shared_memory", configs={"tilelab.hardware_units": True})
#> def main(A: tensor(f16, [1024, 512]), B: tensor(f16, [256, 512]), C: tensor(f32, [1024, 256])):
#>     check_tensor(A, align=16)
#>     check_tensor(B, align=16)
#>     check_tensor(C, align=16, write=True)
#>     A_map = tensor_map(A, dims=[512, 1024], strides=[1024], box=[64, 128], swz=(16, 128, 7))
#>     B_map = tensor_map(B, dims=[512, 256], strides=[1024], box=[64, 256], swz=(16, 128, 7))
#>     with kernel("main_k0", grid=[2, 8, 1], block=384, smem=212992, attrs={"cluster": [2, 1, 1]}) as (x, y, bz):
#>         ring = ring(3, fill="tx", bytes=49152, producer="producer", consumer="consumer", unit="group", arrivals=2)
#>         a = shared(f16, [3, 128, 64], lay=[[a(3, 8192)], [a(128, 64)], [a(64, 1)]], swz=(16, 128, 7), at=0, ring=ring)
#>         b = shared(f16, [3, 256, 64], lay=[[a(3, 16384)], [a(256, 64)], [a(64, 1)]], swz=(16, 128, 7), at=49152, ring=ring)
#>         received = shared(f32, [128, 128], lay=[[a(128, 128)], [a(128, 1)]], at=147456)
#>         with role("producer", 0, 128, regs=56):
#>             for k in serial(8):
#>                 s = ring_acquire(ring)
#>                 copy(A[y * 128:y * 128 + 128, k * 64:k * 64 + 64], a[s], by="engine", map=A_map)
#>                 copy(B[0:256, k * 64:k * 64 + 64], b[s], by="engine", map=B_map)
#>                 ring_commit(ring)
#>         with role("consumer", 128, 384, regs=224):
#>             c = fragment(f32, [128, 256], lay=[[t(8, 32), r(2, 2), t(8, 4)], [r(32, 4), t(4, 1), r(2, 1)]])
#>             fill(c, 0.0, vec=2, lay=[[t(8, 32), r(2, 2), t(8, 4)], [r(32, 4), t(4, 1), r(2, 1)]])
#>             for k in serial(8):
#>                 s = ring_wait(ring)
#>                 gemm(a[s], b[s], c, tB=True, clear=False, by="wgmma", inst=[64, 256, 16], warps=[8, 1])
#>                 ring_release(ring)
#>             copy_cluster(c[0:128, 0:128], received, block=1 - x, vec=2, lay=[[t(8, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]])
#>             cluster_sync()
#>             copy(received, C[y * 128:y * 128 + 128, x * 128:x * 128 + 128], by="simt", vec=4, lay=[[r(16, 4), t(8, 32)], [t(32, 1), r(4, 1)]])
