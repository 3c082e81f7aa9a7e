# test: passes run=simplify
# The addresses that copies load from step by an amount that no iteration changes: in registers, one for each unrolled
# iteration. The step is beside the copy, also where only the last iterations skip it, or at the end of the iteration. Not
# addresses whose products are all by constants, and none that an iteration computes.
ir(1, level="flat", target="sm_80")
def f(A: tensor(f16, [n]), R: tensor(i32, [64]), s: i32, k: i32, *, n: dim(i32, 0, 2147418112)):
    with kernel("k", grid=[1, 1, 1], block=128, smem=8192) as (bx, by, bz):
        S = shared(f16, [4096], at=0)
        row = local(i32, [2])
        row[0] = R[tid]
        row[1] = R[tid + 1]
        for i in serial(1, k):
            for j in unroll(2):
                cp_async(S[tid * 8 + j * 1024:tid * 8 + j * 1024 + 8], A[row[j] * s + (i + 1) * 64:row[j] * s + (i + 1) * 64 + 8], row[j] < k)
            for j in unroll(2):
                cp_async(S[tid * 8 + j * 1024:tid * 8 + j * 1024 + 8], A[tid * s + (i + 2) * (8 * s) + j * 512:tid * s + (i + 2) * (8 * s) + j * 512 + 8], True)
            cp_async(S[tid * 8:tid * 8 + 8], A[tid * 64 + i * 1024:tid * 64 + i * 1024 + 8], True)
            t = R[i]
            cp_async(S[tid * 8:tid * 8 + 8], A[t * s + i * 64:t * s + i * 64 + 8], True)
            cp_async(S[tid * 8:tid * 8 + 8], A[i * i * s:i * i * s + 8], True)
            if i + 1 < k:
                cp_async(S[tid * 8:tid * 8 + 8], A[tid * k + i * k:tid * k + i * k + 8], True)
            if i != 3:
                cp_async(S[tid * 8:tid * 8 + 8], A[tid * s * k + i * 16:tid * s * k + i * 16 + 8], True)
            cp_commit()
            cp_wait(0)
#> ir(1, level="flat", target="sm_80", after="simplify")
#> def f(A: tensor(f16, [n]), R: tensor(i32, [64]), s: i32, k: i32, *, n: dim(i32, 0, 2147418112)):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=8192) as (bx, by, bz):
#>         S = shared(f16, [4096], at=0)
#>         row = local(i32, [2])
#>         row[0] = R[tid]
#>         row[1] = R[tid + 1]
#>         offset = local(i64, [2])
#>         for j in unroll(2):
#>             offset[j] = i64(row[j] * s + 64)
#>         offset_1 = local(i64, [1])
#>         offset_1[0] = i64(tid * s + s * 24)
#>         offset_2 = local(i64, [1])
#>         offset_2[0] = i64(tid * k + k)
#>         offset_3 = local(i64, [1])
#>         offset_3[0] = i64(tid * s * k + 16)
#>         for i in serial(1, k):
#>             for j in unroll(2):
#>                 cp_async(S[tid * 8 + j * 1024:tid * 8 + j * 1024 + 8], A[offset[j] + 64:offset[j] + 64 + 8], row[j] < k)
#>                 offset[j] = offset[j] + 64
#>             for j in unroll(2):
#>                 cp_async(S[tid * 8 + j * 1024:tid * 8 + j * 1024 + 8], A[offset_1[0] + i64(j * 512):offset_1[0] + i64(j * 512) + 8], True)
#>             cp_async(S[tid * 8:tid * 8 + 8], A[tid * 64 + i * 1024:tid * 64 + i * 1024 + 8], True)
#>             t = R[i]
#>             cp_async(S[tid * 8:tid * 8 + 8], A[t * s + i * 64:t * s + i * 64 + 8], True)
#>             cp_async(S[tid * 8:tid * 8 + 8], A[i * i * s:i * i * s + 8], True)
#>             if i + 1 < k:
#>                 cp_async(S[tid * 8:tid * 8 + 8], A[offset_2[0]:offset_2[0] + 8], True)
#>                 offset_2[0] = offset_2[0] + i64(k)
#>             if i != 3:
#>                 cp_async(S[tid * 8:tid * 8 + 8], A[offset_3[0]:offset_3[0] + 8], True)
#>             cp_commit()
#>             cp_wait(0)
#>             offset_1[0] = offset_1[0] + i64(8 * s)
#>             offset_3[0] = offset_3[0] + 16
