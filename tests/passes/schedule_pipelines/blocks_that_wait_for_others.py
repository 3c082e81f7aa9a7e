# test: lower target=sm_90a after=schedule_pipelines
# A block waits for the one before it, which must not be a later tile of the same block.
def main(A: T.Tensor((1024, 64), "float16"), B: T.Tensor((64, 64), "float16"), F: T.Tensor((9,), "int32"), C: T.Tensor((1024, 64), "float32")):
    T.annotate_pass_configs({"tilelab.hardware_units": True, "tilelab.processors": 2})
    with T.Kernel(8, threads=128) as x:
        a = T.alloc_shared((128, 32), "float16")
        b = T.alloc_shared((64, 32), "float16")
        c = T.alloc_fragment((128, 64), "float32")
        T.clear(c)
        for k in T.Pipelined(2, num_stages=2):
            T.copy(A[x * 128, k * 32], a)
            T.copy(B[0, k * 32], b)
            T.gemm(a, b, c, transpose_B=True)
        while T.atomic_load(F[x], memory_order="acquire") == 0:
            pass
        T.copy(c, C[x * 128, 0])
        T.atomic_store(F[x + 1], 1, memory_order="release")
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True, "tilelab.processors": 2})
#> def main(A: tensor(f16, [1024, 64]), B: tensor(f16, [64, 64]), F: tensor(i32, [9]), C: tensor(f32, [1024, 64])):
#>     check_tensor(A, align=16)
#>     check_tensor(B, align=16)
#>     check_tensor(F, align=16, write=True)
#>     check_tensor(C, align=16, write=True)
#>     A_map = tensor_map(A, dims=[64, 1024], strides=[128], box=[32, 128], swz=(16, 128, 3))
#>     B_map = tensor_map(B, dims=[64, 64], strides=[128], box=[32, 64], swz=(16, 128, 3))
#>     with kernel("main_k0", grid=[8, 1, 1], block=256, attrs={"min_blocks": 4}) as (x, by, bz):
#>         ring = ring(2, fill="tx", bytes=12288, producer="producer", consumer="consumer", unit="group", arrivals=1)
#>         a = shared(f16, [2, 128, 32], lay=[[a(2, 4096)], [a(128, 32)], [a(32, 1)]], swz=(16, 128, 3), ring=ring)
#>         b = shared(f16, [2, 64, 32], lay=[[a(2, 2048)], [a(64, 32)], [a(32, 1)]], swz=(16, 128, 3), ring=ring)
#>         with role("producer", 0, 128, regs=24):
#>             for k in serial(2):
#>                 s = ring_acquire(ring)
#>                 copy(A[x * 128:x * 128 + 128, k * 32:k * 32 + 32], a[s], by="engine", map=A_map)
#>                 copy(B[0:64, k * 32:k * 32 + 32], b[s], by="engine", map=B_map)
#>                 ring_commit(ring)
#>         with role("consumer", 128, 256, regs=104):
#>             c = fragment(f32, [128, 64])
#>             fill(c, 0.0)
#>             for k in serial(2):
#>                 s = ring_wait(ring)
#>                 gemm(a[s], b[s], c, tB=True, clear=False, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
#>                 ring_release(ring)
#>             again = var(bool, True)
#>             while again:
#>                 t = atomic_load(F[x], order="acquire")
#>                 again = t == 0
#>             copy(c, C[x * 128:x * 128 + 128], by="simt")
#>             atomic_store(F[x + 1], 1, order="release")
