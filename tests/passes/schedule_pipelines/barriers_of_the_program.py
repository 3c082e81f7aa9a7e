# test: lower target=sm_90a after=schedule_pipelines
# Barriers of the block are those of the consumers. The engine does not store `c`: its store would be complete only after the barrier.
def main(A: T.Tensor((128, 256), "float16"), B: T.Tensor((256, 128), "float16"), C: T.Tensor((128, 128), "float32"), F: T.Tensor((1,), "int32")):
    with T.Kernel(1, threads=128):
        a = T.alloc_shared((128, 64), "float16")
        b = T.alloc_shared((64, 128), "float16")
        c = T.alloc_fragment((128, 128), "float32")
        T.clear(c)
        T.sync_threads()
        for k in T.Pipelined(4, num_stages=3):
            T.copy(A[0, k * 64], a)
            T.copy(B[k * 64, 0], b)
            T.gemm(a, b, c)
            T.sync_threads()
        T.copy(c, C)
        T.sync_threads()
        if T.get_thread_binding() == 0:
            T.atomic_add(F[0], 1)
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines")
#> def main(A: tensor(f16, [128, 256]), B: tensor(f16, [256, 128]), C: tensor(f32, [128, 128]), F: tensor(i32, [1])):
#>     check_tensor(A, align=16)
#>     check_tensor(B, align=16)
#>     check_tensor(C, align=16, write=True)
#>     check_tensor(F, align=16, write=True)
#>     A_map = tensor_map(A, dims=[256, 128], strides=[512], box=[64, 128], swz=(16, 128, 7))
#>     B_map = tensor_map(B, dims=[128, 256], strides=[256], box=[64, 64], swz=(16, 128, 7))
#>     with kernel("main_k0", grid=[1, 1, 1], block=256) as (bx, by, bz):
#>         ring = ring(3, fill="tx", bytes=32768, producer="producer", consumer="consumer", unit="group", arrivals=1)
#>         a = shared(f16, [3, 128, 64], lay=[[a(3, 8192)], [a(128, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring)
#>         b = shared(f16, [3, 64, 128], lay=[[a(3, 8192)], [a(64, 64)], [a(2, 4096), a(64, 1)]], swz=(16, 128, 7), ring=ring)
#>         with role("producer", 0, 128):
#>             for k in serial(4):
#>                 s = ring_acquire(ring)
#>                 copy(A[0:128, k * 64:k * 64 + 64], a[s], by="engine", map=A_map)
#>                 copy(B[k * 64:k * 64 + 64], b[s], by="engine", map=B_map)
#>                 ring_commit(ring)
#>         with role("consumer", 128, 256):
#>             c = fragment(f32, [128, 128])
#>             fill(c, 0.0)
#>             role_sync(mem="all")
#>             for k in serial(4):
#>                 s = ring_wait(ring)
#>                 gemm(a[s], b[s], c, clear=False, by="wgmma", inst=[64, 128, 16], warps=[4, 1])
#>                 ring_release(ring)
#>                 role_sync(mem="all")
#>             copy(c, C, by="simt")
#>             role_sync(mem="all")
#>             if tid == 0:
#>                 atomic_add(F[0], 1, order="relaxed")
