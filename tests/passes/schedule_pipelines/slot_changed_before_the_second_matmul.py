# test: lower target=sm_90a after=schedule_pipelines
# The end of the last tile of `v` is cleared in its slot: with the second matmul, which runs in the next iteration, after that one's first.
def main(Q: T.Tensor((64, 64), "float16"), K: T.Tensor((1000, 64), "float16"), V: T.Tensor((1000, 64), "float16"), lengths: T.Tensor((1,), "int32"),
         O: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=128):
        q = T.alloc_shared((64, 64), "float16")
        k = T.alloc_shared((64, 64), "float16")
        v = T.alloc_shared((64, 64), "float16")
        s = T.alloc_fragment((64, 64), "float32")
        p = T.alloc_fragment((64, 64), "float16")
        o = T.alloc_fragment((64, 64), "float32")
        n = lengths[0]
        T.copy(Q, q)
        T.clear(o)
        for t in T.Pipelined(T.ceildiv(n, 64), num_stages=2):
            T.copy(K[t * 64, 0], k)
            T.gemm(q, k, s, transpose_B=True, clear_accum=True)
            for i, j in T.Parallel(64, 64):
                s[i, j] = T.exp(s[i, j])
            T.copy(s, p)
            T.copy(V[t * 64, 0], v)
            if (t + 1) * 64 > n:
                for j, d in T.Parallel(64, 64):
                    v[j, d] = T.if_then_else(t * 64 + j < n, v[j, d], 0)
            T.gemm(p, v, o)
        T.copy(o, O)
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines")
#> def main(Q: tensor(f16, [64, 64]), K: tensor(f16, [1000, 64]), V: tensor(f16, [1000, 64]), lengths: tensor(i32, [1]), O: tensor(f32, [64, 64])):
#>     check_tensor(Q, align=16)
#>     check_tensor(K, align=16)
#>     check_tensor(V, align=16)
#>     check_tensor(lengths, align=16)
#>     check_tensor(O, align=16, write=True)
#>     Q_map = tensor_map(Q, dims=[64, 64], strides=[128], box=[64, 64], swz=(16, 128, 7))
#>     K_map = tensor_map(K, dims=[64, 1000], strides=[128], box=[64, 64], swz=(16, 128, 7))
#>     V_map = tensor_map(V, dims=[64, 1000], strides=[128], box=[64, 64], swz=(16, 128, 7))
#>     O_map = tensor_map(O, dims=[64, 64], strides=[256], box=[32, 64], swz=(16, 128, 7))
#>     with kernel("main_k0", grid=[1, 1, 1], block=256) as (bx, by, bz):
#>         ring = ring(2, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="group", arrivals=1)
#>         ring_1 = ring(2, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="warp", arrivals=4)
#>         ring_2 = ring(1, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="group", arrivals=1)
#>         out = ring(2, fill="store", bytes=8192, producer="consumer", consumer="consumer", unit="group", arrivals=1)
#>         k = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring)
#>         v = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring_1)
#>         q = shared(f16, [1, 64, 64], lay=[[a(1, 4096)], [a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring_2)
#>         O_out = shared(f32, [2, 64, 32], lay=[[a(2, 2048)], [a(64, 32)], [a(32, 1)]], swz=(16, 128, 7), ring=out)
#>         with role("producer", 0, 128):
#>             n = lengths[0]
#>             s_3 = ring_acquire(ring_2)
#>             copy(Q, q[s_3], by="engine", map=Q_map)
#>             ring_commit(ring_2)
#>             for t in serial(ceildiv(n, 64)):
#>                 s_1 = ring_acquire(ring)
#>                 copy(K[t * 64:t * 64 + 64], k[s_1], by="engine", map=K_map)
#>                 ring_commit(ring)
#>                 s_2 = ring_acquire(ring_1)
#>                 copy(V[t * 64:t * 64 + 64], v[s_2], by="engine", map=V_map)
#>                 ring_commit(ring_1)
#>         with role("consumer", 128, 256):
#>             s = fragment(f32, [64, 64])
#>             p = fragment(f16, [64, 64])
#>             o = fragment(f32, [64, 64])
#>             n = lengths[0]
#>             fill(o, 0.0)
#>             s_3 = ring_wait(ring_2)
#>             if 0 < ceildiv(n, 64):
#>                 s_1_1 = ring_wait(ring)
#>                 gemm(q[s_3], k[s_1_1], s, tB=True, clear=True, by="wgmma", inst=[64, 64, 16], warps=[4, 1], wait=0)
#>                 ring_release(ring)
#>                 for i, j in parallel(64, 64):
#>                     s[i, j] = exp(s[i, j])
#>                 copy(s, p, by="simt")
#>                 for t in serial(1, ceildiv(n, 64)):
#>                     s_1 = ring_wait(ring)
#>                     gemm(q[s_3], k[s_1], s, tB=True, clear=True, by="wgmma", inst=[64, 64, 16], warps=[4, 1], wait=1)
#>                     s_2 = ring_wait(ring_1)
#>                     if (t - 1 + 1) * 64 > n:
#>                         if (t - 1) * 64 + 63 >= n:
#>                             for j, d in parallel(64, 64):
#>                                 v[s_2, j, d] = v[s_2, j, d] if (t - 1) * 64 + j < n else 0.0
#>                     gemm(p, v[s_2], o, clear=False, by="wgmma", inst=[64, 64, 16], warps=[4, 1], wait=1)
#>                     ring_release(ring)
#>                     for i, j in parallel(64, 64):
#>                         s[i, j] = exp(s[i, j])
#>                     mma_wait(0)
#>                     ring_release(ring_1)
#>                     copy(s, p, by="simt")
#>                 s_2_1 = ring_wait(ring_1)
#>                 if (ceildiv(n, 64) - 1 + 1) * 64 > n:
#>                     if (ceildiv(n, 64) - 1) * 64 + 63 >= n:
#>                         for j, d in parallel(64, 64):
#>                             v[s_2_1, j, d] = v[s_2_1, j, d] if (ceildiv(n, 64) - 1) * 64 + j < n else 0.0
#>                 gemm(p, v[s_2_1], o, clear=False, by="wgmma", inst=[64, 64, 16], warps=[4, 1], wait=0)
#>                 ring_release(ring_1)
#>             ring_release(ring_2)
#>             for c in unroll(2):
#>                 w = ring_acquire(out)
#>                 copy(o[0:64, c * 32:c * 32 + 32], O_out[w], by="simt")
#>                 ring_commit(out)
#>                 e = ring_wait(out)
#>                 copy(O_out[e], O[0:64, c * 32:c * 32 + 32], by="engine", map=O_map)
#>                 ring_release(out)
