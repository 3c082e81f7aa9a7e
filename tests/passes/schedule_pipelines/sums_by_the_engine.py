# test: lower target=sm_90a after=schedule_pipelines N=dynamic
# The columns of q are divided between two groups of warps, so that one piece has all of them; each group sends its half while it computes the next.
def main(A: T.Tensor((N, 64), "float16"), B: T.Tensor((128, 64), "float16"), Q: T.Tensor((N, 128), "float32")):
    T.annotate_pass_configs({"tilelab.hardware_units": True})
    with T.Kernel(4, threads=256) as x:
        a = T.alloc_shared((64, 64), "float16")
        b = T.alloc_shared((128, 64), "float16")
        q = T.alloc_fragment((64, 128), "float32")
        T.copy(B, b)
        for k in T.Pipelined(T.ceildiv(N, 64), num_stages=2):
            T.copy(A[k * 64, 0], a)
            T.gemm(a, b, q, transpose_B=True, clear_accum=True)
            T.atomic_add(Q[k * 64:k * 64 + 64, 0:128], q)
#> ir(1, level="tile", target="sm_90a", after="schedule_pipelines", configs={"tilelab.hardware_units": True})
#> def main(A: tensor(f16, [N, 64]), B: tensor(f16, [128, 64]), Q: tensor(f32, [N, 128]), *, N: dim(i32, 0, 2147418112)):
#>     bind(N, A, 0)
#>     check_tensor(A, align=16)
#>     check_tensor(B, align=16)
#>     check_tensor(Q, align=16, write=True)
#>     B_map = tensor_map(B, dims=[64, 128], strides=[128], box=[64, 128], swz=(16, 128, 7))
#>     A_map = tensor_map(A, dims=[64, N], strides=[128], box=[64, 64], swz=(16, 128, 7))
#>     Q_map = tensor_map(Q, dims=[128, N], strides=[512], box=[32, 64], swz=(16, 128, 7))
#>     with kernel("main_k0", grid=[4, 1, 1], block=384) as (x, by, bz):
#>         ring = ring(2, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="group", arrivals=2)
#>         ring_1 = ring(1, fill="tx", bytes=16384, producer="producer", consumer="consumer", unit="group", arrivals=2)
#>         out = ring(2, fill="store", bytes=32768, producer="consumer", consumer="consumer", unit="group", arrivals=2)
#>         a = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring)
#>         b = shared(f16, [1, 128, 64], lay=[[a(1, 8192)], [a(128, 64)], [a(64, 1)]], swz=(16, 128, 7), ring=ring_1)
#>         Q_out = shared(f32, [2, 64, 128], lay=[[a(2, 8192)], [a(64, 32)], [a(4, 2048), a(32, 1)]], swz=(16, 128, 7), ring=out)
#>         with role("producer", 0, 128, regs=56):
#>             s_1 = ring_acquire(ring_1)
#>             copy(B, b[s_1], by="engine", map=B_map)
#>             ring_commit(ring_1)
#>             for k in serial(ceildiv(N, 64)):
#>                 s = ring_acquire(ring)
#>                 copy(A[k * 64:k * 64 + 64], a[s], by="engine", map=A_map)
#>                 ring_commit(ring)
#>         with role("consumer", 128, 384, regs=224):
#>             q = fragment(f32, [64, 128])
#>             s_1 = ring_wait(ring_1)
#>             for k in serial(ceildiv(N, 64)):
#>                 s = ring_wait(ring)
#>                 gemm(a[s], b[s_1], q, tB=True, clear=True, by="wgmma", inst=[64, 64, 16], warps=[4, 2])
#>                 ring_release(ring)
#>                 for c in unroll(1):
#>                     w = ring_acquire(out)
#>                     copy(q[0:64, c * 128:c * 128 + 128], Q_out[w], by="simt")
#>                     ring_commit(out)
#>                     e = ring_wait(out)
#>                     copy(Q_out[e], Q[k * 64:k * 64 + 64, c * 128:c * 128 + 128], by="engine", adds=True, map=Q_map)
#>                     ring_release(out)
#>             ring_release(ring_1)
