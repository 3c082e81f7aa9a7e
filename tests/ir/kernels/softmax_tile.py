# test: becomes is=softmax_thread
# SPDX-License-Identifier: Apache-2.0
# Row softmax: two rows a block, each spread over four warps that exchange in shared memory.
ir(1, level="tile", target="mp_31", after="insert_barriers")
def softmax(X: tensor(f32, [M, 512]), Y: tensor(f32, [M, 512]), *, M: dim(i32, 0, 2147418112)):
    bind(M, X, 0)
    check_tensor(X, align=16)
    check_tensor(Y, align=16, write=True)
    with kernel("softmax_k0", grid=[ceildiv(M, 2), 1, 1], block=128, smem=64) as (bx, by, bz):
        x = fragment(f32, [2, 512], lay=[[r(2, 4)], [t(128, 1), r(4, 1)]])
        m = fragment(f32, [2], lay=[[r(2, 1)]], rep=[t(128, 1)])
        s = fragment(f32, [2], lay=[[r(2, 1)]], rep=[t(128, 1)])
        red0 = shared(f32, [2, 4], lay=[[a(2, 4)], [a(4, 1)]], at=0, of="reduce@1:9")
        red1 = shared(f32, [2, 4], lay=[[a(2, 4)], [a(4, 1)]], at=32, of="reduce@1:12")
        copy(X[bx * 2:bx * 2 + 2], x, by="simt", vec=4, lay=[[r(2, 4)], [t(128, 1), r(4, 1)]])
        reduce(x, m, dims=[1], op="max", clear=True, ws=red0, order=["regs", "shfl 16 8 4 2 1", "warps"])
        for i, j in parallel(2, 512, lay=[[r(2, 4)], [t(128, 1), r(4, 1)]], vec=4):
            x[i, j] = exp2(fma(x[i, j], 1.442695, -(m[i] * 1.442695)))
        reduce(x, s, dims=[1], op="sum", clear=True, ws=red1, order=["regs", "shfl 16 8 4 2 1", "warps"])
        for i, j in parallel(2, 512, lay=[[r(2, 4)], [t(128, 1), r(4, 1)]], vec=4):
            x[i, j] = x[i, j] / s[i]
        copy(x, Y[bx * 2:bx * 2 + 2], by="simt", vec=4, lay=[[r(2, 4)], [t(128, 1), r(4, 1)]])
