# test: becomes is=vector_add_flat
# SPDX-License-Identifier: Apache-2.0
# Vector add with a tail: whole vectors where they fit, then element by element.
ir(1, level="thread", target="mp_31", after="vectorize")
def add(A: tensor(f32, [N]), B: tensor(f32, [N]), C: tensor(f32, [N]), *, N: dim(i32, 0, 2147418112)):
    bind(N, A, 0)
    check_tensor(A, align=16)
    check_tensor(B, align=16)
    check_tensor(C, align=16, write=True)
    with kernel("add_k0", grid=[ceildiv(N, 1024), 1, 1], block=256, smem=0) as (bx, by, bz):
        if bx * 1024 + tid * 4 + 4 <= N:
            C[bx * 1024 + tid * 4:bx * 1024 + tid * 4 + 4] = A[bx * 1024 + tid * 4:bx * 1024 + tid * 4 + 4] + B[bx * 1024 + tid * 4:bx * 1024 + tid * 4 + 4]
        else:
            for i in unroll(4):
                if guard(bx * 1024 + tid * 4 + i < N):
                    C[bx * 1024 + tid * 4 + i] = A[bx * 1024 + tid * 4 + i] + B[bx * 1024 + tid * 4 + i]
