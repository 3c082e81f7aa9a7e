# test: lower target=sm_90a after=schedule_pipelines
# num_stages is 0: the compiler takes as many stages as leave shared memory for a second block, and no notes say that a copy waits. `b` is
# also changed by its iteration, in its slot.
def main(A: T.Tensor((128, 4096), "float16"), B: T.Tensor((4096, 128), "float16"), C: T.Tensor((128, 128), "float32")):
    with T.Kernel(1, threads=128):
        a = T.alloc_shared((128, 64), "float16")
        b = T.alloc_shared((64, 128), "float16")
        c = T.alloc_fragment((128, 128), "float32")
        T.clear(c)
        for k in T.Pipelined(64):
            T.copy(A[0, k * 64], a)
            T.copy(B[k * 64, 0], b)
            for i, j in T.Parallel(64, 128):
                b[i, j] = b[i, j] * 2
            T.gemm(a, b, c)
        T.copy(c, C)
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines")
#> def main(A: tensor(f16, [128, 4096]), B: tensor(f16, [4096, 128]), C: tensor(f32, [128, 128])):
#>     check_tensor(A, align=16)
#>     check_tensor(B, align=16)
#>     check_tensor(C, align=16, write=True)
#>     A_map = tensor_map(A, dims=[4096, 128], strides=[8192], box=[64, 128], swz=(16, 128, 7))
#>     B_map = tensor_map(B, dims=[128, 4096], strides=[256], box=[64, 64], swz=(16, 128, 7))
#>     C_map = tensor_map(C, dims=[128, 128], strides=[512], box=[32, 128], swz=(16, 128, 7))
#>     with kernel("main_k0", grid=[1, 1, 1], block=256) as (bx, by, bz):
#>         ring = ring(3, fill="tx", bytes=16384, producer="producer", consumer="consumer", unit="group", arrivals=1)
#>         ring_1 = ring(3, fill="tx", bytes=16384, producer="producer", consumer="consumer", unit="warp", arrivals=4)
#>         out = ring(2, fill="store", bytes=16384, producer="consumer", consumer="consumer", unit="group", arrivals=1)
#>         a = shared(f16, [3, 128, 64], lay=[[a(3, 8192)], [a(128, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring)
#>         b = shared(f16, [3, 64, 128], lay=[[a(3, 8192)], [a(64, 64)], [a(2, 4096), a(64, 1)]], swz=(16, 128, 7), ring=ring_1)
#>         C_out = shared(f32, [2, 128, 32], lay=[[a(2, 4096)], [a(128, 32)], [a(32, 1)]], swz=(16, 128, 7), ring=out)
#>         with role("producer", 0, 128):
#>             for k in serial(64):
#>                 s = ring_acquire(ring)
#>                 copy(A[0:128, k * 64:k * 64 + 64], a[s], by="engine", map=A_map)
#>                 ring_commit(ring)
#>                 s_1 = ring_acquire(ring_1)
#>                 copy(B[k * 64:k * 64 + 64], b[s_1], by="engine", map=B_map)
#>                 ring_commit(ring_1)
#>         with role("consumer", 128, 256):
#>             c = fragment(f32, [128, 128])
#>             fill(c, 0.0)
#>             for k in serial(64):
#>                 s_1 = ring_wait(ring_1)
#>                 for i, j in parallel(64, 128):
#>                     b[s_1, i, j] = b[s_1, i, j] * 2.0
#>                 s = ring_wait(ring)
#>                 gemm(a[s], b[s_1], c, clear=False, by="wgmma", inst=[64, 128, 16], warps=[4, 1])
#>                 ring_release(ring)
#>                 ring_release(ring_1)
#>             for c_1 in unroll(4):
#>                 w = ring_acquire(out)
#>                 copy(c[0:128, c_1 * 32:c_1 * 32 + 32], C_out[w], by="simt")
#>                 ring_commit(out)
#>                 e = ring_wait(out)
#>                 copy(C_out[e], C[0:128, c_1 * 32:c_1 * 32 + 32], by="engine", map=C_map)
#>                 ring_release(out)
