# test: roundtrip
# SPDX-License-Identifier: Apache-2.0
# Row softmax: two rows a block, each spread over four warps that exchange in shared memory.
ir(1, level="flat", target="mp_31", after="simplify")
def softmax(X: tensor(f32, [M, 512]), Y: tensor(f32, [M, 512]), *, M: dim(i32, 0, 2147418112)):
    bind(M, X, 0)
    check_tensor(X, align=16)
    check_tensor(Y, align=16, write=True)
    with kernel("softmax_k0", grid=[ceildiv(M, 2), 1, 1], block=128, smem=64, params=[X, Y, M]) as (bx, by, bz):
        x = local(f32, [8], of=frag([2, 512], [[r(2, 4)], [t(128, 1), r(4, 1)]]))
        m = local(f32, [2], of=frag([2], [[r(2, 1)]], rep=[t(128, 1)]))
        s = local(f32, [2], of=frag([2], [[r(2, 1)]], rep=[t(128, 1)]))
        red0 = shared(f32, [8], at=0, of="reduce@1:9")
        red1 = shared(f32, [8], at=32, of="reduce@1:12")
        for v in unroll(2):
            x[v * 4:v * 4 + 4] = X[i64(bx * 2 + v) * 512 + i64(tid * 4):i64(bx * 2 + v) * 512 + i64(tid * 4) + 4] if bx * 2 + v < M else 0.0
        for i in unroll(2):
            m[i] = -inf(f32)
        for i in unroll(2):
            for i_1 in unroll(4):
                m[i] = maximum(m[i], x[i * 4 + i_1])
        for i in unroll(2):
            for o in steps(16, 8, 4, 2, 1):
                m[i] = maximum(m[i], shfl_xor(m[i], o))
        if tmod(tid, 32) == 0:
            for i in unroll(2):
                red0[i * 4 + tdiv(tid, 32)] = m[i]
        block_sync()
        for i in unroll(2):
            m[i] = -inf(f32)
            for w in unroll(4):
                m[i] = maximum(m[i], red0[i * 4 + w])
        for i in unroll(2):
            for j in unroll(4):
                x[i * 4 + j] = exp2(fma(x[i * 4 + j], 1.442695, -(m[i] * 1.442695)))
        for i in unroll(2):
            s[i] = 0.0
        for i in unroll(2):
            for i_1 in unroll(4):
                s[i] = s[i] + x[i * 4 + i_1]
        for i in unroll(2):
            for o in steps(16, 8, 4, 2, 1):
                s[i] = s[i] + shfl_xor(s[i], o)
        if tmod(tid, 32) == 0:
            for i in unroll(2):
                red1[i * 4 + tdiv(tid, 32)] = s[i]
        block_sync()
        for i in unroll(2):
            s[i] = 0.0
            for w in unroll(4):
                s[i] = s[i] + red1[i * 4 + w]
        for i in unroll(2):
            for j in unroll(4):
                x[i * 4 + j] = x[i * 4 + j] / s[i]
        for v in unroll(2):
            if bx * 2 + v < M:
                Y[i64(bx * 2 + v) * 512 + i64(tid * 4):i64(bx * 2 + v) * 512 + i64(tid * 4) + 4] = x[v * 4:v * 4 + 4]
