# test: lower target=sm_90a after=insert_barriers M=256 N=512 K=256 G=2 R=2
# From TileLang to the text of tests/ir/kernels/gemm_sm90_tile.py, but for names, registers and digits
# that are written together.
def matmul(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((M, N), "float16")):
    T.annotate_pass_configs({"tilelab.hardware_units": True})
    with T.Kernel(G, threads=256) as bx:
        A_s = T.alloc_shared((128, 64), "float16")
        B_s = T.alloc_shared((256, 64), "float16")
        C_l = T.alloc_fragment((128, 256), "float32")
        for n, m in T.Persistent([N // 256, M // 128], G, bx, group_size=R):
            T.clear(C_l)
            for k in T.Pipelined(K // 64, num_stages=4):
                T.copy(A[m * 128, k * 64], A_s)
                T.copy(B[n * 256, k * 64], B_s)
                T.gemm(A_s, B_s, C_l, transpose_B=True)
            T.copy(C_l, C[m * 128, n * 256])
#> ir(1, level="tile", target="sm_90a", after="insert_barriers", configs={"tilelab.hardware_units": True})
#> def matmul(A: tensor(f16, [256, 256]), B: tensor(f16, [512, 256]), C: tensor(f16, [256, 512])):
#>     check_tensor(A, align=16)
#>     check_tensor(B, align=16)
#>     check_tensor(C, align=16, write=True)
#>     A_map = tensor_map(A, dims=[256, 256], strides=[512], box=[64, 128], swz=(16, 128, 7))
#>     B_map = tensor_map(B, dims=[256, 512], strides=[512], box=[64, 256], swz=(16, 128, 7))
#>     C_map = tensor_map(C, dims=[512, 256], strides=[1024], box=[64, 64], swz=(16, 128, 7))
#>     with kernel("matmul_k0", grid=[2, 1, 1], block=384, smem=229376) as (bx, by, bz):
#>         ring = ring(4, fill="tx", bytes=49152, producer="producer", consumer="consumer", unit="group", arrivals=2)
#>         out = ring(2, fill="store", bytes=16384, producer="consumer", consumer="consumer", unit="group", arrivals=2)
#>         A_s = shared(f16, [4, 128, 64], lay=[[a(4, 8192)], [a(128, 64)], [a(64, 1)]], swz=(16, 128, 7), at=0, ring=ring)
#>         B_s = shared(f16, [4, 256, 64], lay=[[a(4, 16384)], [a(256, 64)], [a(64, 1)]], swz=(16, 128, 7), at=65536, ring=ring)
#>         C_out = shared(f16, [2, 128, 64], lay=[[a(2, 8192)], [a(128, 64)], [a(64, 1)]], swz=(16, 128, 7), at=196608, ring=out)
#>         with role("producer", 0, 128, regs=56):
#>             for n, m in tiles([2, 2], source="stride", stride=2, order="grouped", group=2):
#>                 for k in serial(4):
#>                     s = ring_acquire(ring)
#>                     copy(A[m * 128:m * 128 + 128, k * 64:k * 64 + 64], A_s[s], by="engine", map=A_map)
#>                     copy(B[n * 256:n * 256 + 256, k * 64:k * 64 + 64], B_s[s], by="engine", map=B_map)
#>                     ring_commit(ring)
#>         with role("consumer", 128, 384, regs=224):
#>             C_l = fragment(f32, [128, 256], lay=[[t(8, 32), r(2, 2), t(8, 4)], [r(32, 4), t(4, 1), r(2, 1)]])
#>             for n, m in tiles([2, 2], source="stride", stride=2, order="grouped", group=2):
#>                 fill(C_l, 0.0, vec=2, lay=[[t(8, 32), r(2, 2), t(8, 4)], [r(32, 4), t(4, 1), r(2, 1)]])
#>                 for k in serial(4):
#>                     s = ring_wait(ring)
#>                     gemm(A_s[s], B_s[s], C_l, tB=True, clear=False, by="wgmma", inst=[64, 256, 16], warps=[8, 1])
#>                     ring_release(ring)
#>                 for c in unroll(4):
#>                     w = ring_acquire(out)
#>                     copy(C_l[0:128, c * 64:c * 64 + 64], C_out[w], by="simt", vec=2, lay=[[t(8, 32), r(2, 2), t(8, 4)], [r(8, 4), t(4, 1), r(2, 1)]])
#>                     ring_commit(out)
#>                     e = ring_wait(out)
#>                     copy(C_out[e], C[m * 128:m * 128 + 128, n * 256 + c * 64:n * 256 + c * 64 + 64], by="engine", map=C_map)
#>                     ring_release(out)
