# test: lower target=sm_90a after=select_instructions n=dynamic
# The copy engine reads rows that start at multiples of 16 bytes: 8 columns of float16 further they do, 4 columns further they do not.
def main(A: T.Tensor((64, 128), "float16"), B: T.Tensor((64, 32), "float16"), n: T.int32):
    T.annotate_pass_configs({"tilelab.hardware_units": True})
    with T.Kernel(1, threads=128) as bx:
        a = T.alloc_shared((64, 32), "float16")
        b = T.alloc_shared((64, 32), "float16")
        c = T.alloc_shared((64, 32), "float16")
        for k in T.Pipelined(2, num_stages=2):
            T.copy(A[0, k * 32 + 8], a)
            T.copy(A[0, k * 32 + 4], b)
            T.copy(A[0, n], c)
            for i, j in T.Parallel(64, 32):
                B[i, j] = a[i, j] + b[i, j] + c[i, j]
#> ir(1, level="tile", target="sm_90a", after="select_instructions", configs={"tilelab.hardware_units": True})
#> def main(A: tensor(f16, [64, 128]), B: tensor(f16, [64, 32]), n: i32):
#>     check_tensor(A, align=16)
#>     check_tensor(B, align=16, write=True)
#>     A_map = tensor_map(A, dims=[128, 64], strides=[256], box=[32, 64])
#>     with kernel("main_k0", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         a = shared(f16, [64, 32])
#>         b = shared(f16, [64, 32])
#>         c = shared(f16, [64, 32])
#>         for k in pipelined(2, stages=2):
#>             copy(A[0:64, k * 32 + 8:k * 32 + 8 + 32], a, by="engine", map=A_map)
#>             copy(A[0:64, k * 32 + 4:k * 32 + 4 + 32], b, by="async")
#>             copy(A[0:64, n:n + 32], c, by="async")
#>             for i, j in parallel(64, 32):
#>                 B[i, j] = a[i, j] + b[i, j] + c[i, j]
