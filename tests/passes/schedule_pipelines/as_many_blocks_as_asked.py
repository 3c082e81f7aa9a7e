# test: lower target=sm_90a after=schedule_pipelines N=dynamic
# The registers are those of as many blocks as the program asks for.
def main(Q: T.Tensor((N, 64), "float16"), K: T.Tensor((512, 64), "float16"), O: T.Tensor((N, 64), "float32")):
    T.annotate_pass_configs({"tilelab.hardware_units": True})
    with T.Kernel(T.ceildiv(N, 64), threads=128) as x:
        T.annotate_min_blocks_per_sm(3)
        q = T.alloc_shared((64, 64), "float16")
        k = T.alloc_shared((64, 64), "float16")
        s = T.alloc_fragment((64, 64), "float32")
        p = T.alloc_fragment((64, 64), "float16")
        o = T.alloc_fragment((64, 64), "float32")
        T.copy(Q[x * 64, 0], q)
        T.clear(o)
        for j in T.Pipelined(8, num_stages=1):
            T.copy(K[j * 64, 0], k)
            T.gemm(q, k, s, transpose_B=True, clear_accum=True)
            T.copy(s, p)
            T.gemm(p, k, o)
        T.copy(o, O[x * 64, 0])
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def main(Q: tensor(f16, [N, 64]), K: tensor(f16, [512, 64]), O: tensor(f32, [N, 64]), *, N: dim(i32, 0, 2147418112)):
#>     bind(N, Q, 0)
#>     check_tensor(Q, align=16)
#>     check_tensor(K, align=16)
#>     check_tensor(O, align=16, write=True)
#>     Q_map = tensor_map(Q, dims=[64, N], strides=[128], box=[64, 64], swz=(16, 128, 7))
#>     K_map = tensor_map(K, dims=[64, 512], strides=[128], box=[64, 64], swz=(16, 128, 7))
#>     O_map = tensor_map(O, dims=[64, N], strides=[256], box=[32, 64], swz=(16, 128, 7))
#>     with kernel("main_k0", grid=[ceildiv(N, 64), 1, 1], block=256, attrs={"min_blocks": 3}) as (x, by, bz):
#>         ring = ring(1, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="group", arrivals=1)
#>         ring_1 = ring(1, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="group", arrivals=1)
#>         out = ring(2, fill="store", bytes=8192, producer="consumer", consumer="consumer", unit="group", arrivals=1)
#>         k = shared(f16, [1, 64, 64], lay=[[a(1, 4096)], [a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring)
#>         q = shared(f16, [1, 64, 64], lay=[[a(1, 4096)], [a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring_1)
#>         O_out = shared(f32, [2, 64, 32], lay=[[a(2, 2048)], [a(64, 32)], [a(32, 1)]], swz=(16, 128, 7), ring=out)
#>         with role("producer", 0, 128, regs=24):
#>             s_2 = ring_acquire(ring_1)
#>             copy(Q[x * 64:x * 64 + 64], q[s_2], by="engine", map=Q_map)
#>             ring_commit(ring_1)
#>             for j in serial(8):
#>                 s_1 = ring_acquire(ring)
#>                 copy(K[j * 64:j * 64 + 64], k[s_1], by="engine", map=K_map)
#>                 ring_commit(ring)
#>         with role("consumer", 128, 256, regs=136):
#>             s = fragment(f32, [64, 64])
#>             p = fragment(f16, [64, 64])
#>             o = fragment(f32, [64, 64])
#>             fill(o, 0.0)
#>             s_2 = ring_wait(ring_1)
#>             for j in serial(8):
#>                 s_1 = ring_wait(ring)
#>                 gemm(q[s_2], k[s_1], s, tB=True, clear=True, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
#>                 copy(s, p, by="simt")
#>                 gemm(p, k[s_1], o, clear=False, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
#>                 ring_release(ring)
#>             ring_release(ring_1)
#>             for c in unroll(2):
#>                 w = ring_acquire(out)
#>                 copy(o[0:64, c * 32:c * 32 + 32], O_out[w], by="simt")
#>                 ring_commit(out)
#>                 e = ring_wait(out)
#>                 copy(O_out[e], O[x * 64:x * 64 + 64, c * 32:c * 32 + 32], by="engine", map=O_map)
#>                 ring_release(out)
