# test: lower target=sm_90a after=schedule_pipelines
# A producer would not wait for the other block: the threads themselves prefetch.
def main(A: T.Tensor((128, 256), "float16"), B: T.Tensor((256, 128), "float16"), C: T.Tensor((128, 128), "float32"), F: T.Tensor((1,), "int32")):
    with T.Kernel(1, threads=128):
        a = T.alloc_shared((128, 64), "float16")
        b = T.alloc_shared((64, 128), "float16")
        c = T.alloc_fragment((128, 128), "float32")
        T.clear(c)
        while T.atomic_load(F[0], memory_order="acquire") == 0:
            pass
        T.sync_threads()
        for k in T.Pipelined(4, num_stages=3):
            T.copy(A[0, k * 64], a)
            T.copy(B[k * 64, 0], b)
            T.gemm(a, b, c)
        T.copy(c, C)
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines")
#> def main(A: tensor(f16, [128, 256]), B: tensor(f16, [256, 128]), C: tensor(f32, [128, 128]), F: tensor(i32, [1])):
#>     check_tensor(A, align=16)
#>     check_tensor(B, align=16)
#>     check_tensor(C, align=16, write=True)
#>     check_tensor(F, align=16)
#>     A_map = tensor_map(A, dims=[256, 128], strides=[512], box=[64, 128], swz=(16, 128, 7))
#>     B_map = tensor_map(B, dims=[128, 256], strides=[256], box=[64, 64], swz=(16, 128, 7))
#>     with kernel("main_k0", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         ring = ring(3, fill="tx", bytes=32768, producer="main", consumer="main", unit="warp", arrivals=4)
#>         a = shared(f16, [3, 128, 64], lay=[[a(3, 8192)], [a(128, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring)
#>         b = shared(f16, [3, 64, 128], lay=[[a(3, 8192)], [a(64, 64)], [a(2, 4096), a(64, 1)]], swz=(16, 128, 7), ring=ring)
#>         c = fragment(f32, [128, 128])
#>         fill(c, 0.0)
#>         again = var(bool, True)
#>         while again:
#>             t = atomic_load(F[0], order="acquire")
#>             again = t == 0
#>         block_sync(mem="all")
#>         for p in unroll(2):
#>             w = ring_acquire(ring)
#>             copy(A[0:128, p * 64:p * 64 + 64], a[w], by="engine", map=A_map)
#>             copy(B[p * 64:p * 64 + 64], b[w], by="engine", map=B_map)
#>             ring_commit(ring)
#>         for k in serial(4):
#>             s = ring_wait(ring)
#>             gemm(a[s], b[s], c, clear=False, by="wgmma", inst=[64, 128, 16], warps=[4, 1], wait=1)
#>             if k + 2 < 4:
#>                 w = ring_acquire(ring)
#>                 copy(A[0:128, (k + 2) * 64:(k + 2) * 64 + 64], a[w], by="engine", map=A_map)
#>                 copy(B[(k + 2) * 64:(k + 2) * 64 + 64], b[w], by="engine", map=B_map)
#>                 ring_commit(ring)
#>             mma_wait(0)
#>             ring_release(ring)
#>         copy(c, C, by="simt")
