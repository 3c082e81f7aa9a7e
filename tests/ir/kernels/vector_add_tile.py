# test: becomes is=vector_add_thread
# SPDX-License-Identifier: Apache-2.0
# Vector add with a tail: whole vectors where they fit, then element by element.
ir(1, level="tile", target="mp_31", after="insert_barriers")
def add(A: tensor(f32, [N]), B: tensor(f32, [N]), C: tensor(f32, [N]), *, N: dim(i32, 0, 2147418112)):
    bind(N, A, 0)
    check_tensor(A, align=16)
    check_tensor(B, align=16)
    check_tensor(C, align=16, write=True)
    with kernel("add_k0", grid=[ceildiv(N, 1024), 1, 1], block=256, smem=0) as (bx, by, bz):
        for i in parallel(1024, lay=[[t(256, 1), r(4, 1)]], vec=4):
            C[bx * 1024 + i] = A[bx * 1024 + i] + B[bx * 1024 + i]
