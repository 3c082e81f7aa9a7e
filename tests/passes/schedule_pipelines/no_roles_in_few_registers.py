# test: lower target=sm_90a after=schedule_pipelines N=dynamic
# With the producer, three blocks would leave a thread 80 registers at launch, too few for the accumulator of the second product: no roles.
def main(Q: T.Tensor((N, 128), "float16"), K: T.Tensor((512, 128), "float16"), O: T.Tensor((N, 128), "float32")):
    T.annotate_pass_configs({"tilelab.hardware_units": True})
    with T.Kernel(T.ceildiv(N, 64), threads=128) as x:
        T.annotate_min_blocks_per_sm(3)
        q = T.alloc_shared((64, 128), "float16")
        k = T.alloc_shared((64, 128), "float16")
        s = T.alloc_fragment((64, 64), "float32")
        p = T.alloc_fragment((64, 64), "float16")
        o = T.alloc_fragment((64, 128), "float32")
        T.copy(Q[x * 64, 0], q)
        T.clear(o)
        for j in T.Pipelined(8, num_stages=2):
            T.copy(K[j * 64, 0], k)
            T.gemm(q, k, s, transpose_B=True, clear_accum=True)
            T.copy(s, p)
            T.gemm(p, k, o)
        T.copy(o, O[x * 64, 0])
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def main(Q: tensor(f16, [N, 128]), K: tensor(f16, [512, 128]), O: tensor(f32, [N, 128]), *, N: dim(i32, 0, 2147418112)):
#>     bind(N, Q, 0)
#>     check_tensor(Q, align=16)
#>     check_tensor(K, align=16)
#>     check_tensor(O, align=16, write=True)
#>     K_map = tensor_map(K, dims=[128, 512], strides=[256], box=[64, 64], swz=(16, 128, 7))
#>     with kernel("main_k0", grid=[ceildiv(N, 64), 1, 1], block=128, attrs={"min_blocks": 3}) as (x, by, bz):
#>         ring = ring(2, fill="tx", bytes=16384, producer="main", consumer="main", unit="warp", arrivals=4)
#>         k = shared(f16, [2, 64, 128], lay=[[a(2, 8192)], [a(64, 64)], [a(2, 4096), a(64, 1)]], swz=(16, 128, 7), ring=ring)
#>         q = shared(f16, [64, 128], lay=[[a(64, 64)], [a(2, 4096), a(64, 1)]], swz=(16, 128, 7))
#>         s = fragment(f32, [64, 64])
#>         p = fragment(f16, [64, 64])
#>         o = fragment(f32, [64, 128])
#>         copy(Q[x * 64:x * 64 + 64], q, by="simt")
#>         fill(o, 0.0)
#>         for p_1 in unroll(1):
#>             w = ring_acquire(ring)
#>             copy(K[p_1 * 64:p_1 * 64 + 64], k[w], by="engine", map=K_map)
#>             ring_commit(ring)
#>         for j in serial(8):
#>             s_1 = ring_wait(ring)
#>             gemm(q, k[s_1], s, tB=True, clear=True, by="wgmma", inst=[64, 64, 16], warps=[4, 1], wait=1)
#>             if j + 1 < 8:
#>                 w = ring_acquire(ring)
#>                 copy(K[(j + 1) * 64:(j + 1) * 64 + 64], k[w], by="engine", map=K_map)
#>                 ring_commit(ring)
#>             mma_wait(0)
#>             copy(s, p, by="simt")
#>             gemm(p, k[s_1], o, clear=False, by="wgmma", inst=[64, 128, 16], warps=[4, 1])
#>             ring_release(ring)
#>         copy(o, O[x * 64:x * 64 + 64], by="simt")
