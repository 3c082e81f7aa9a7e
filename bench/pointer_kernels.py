# SPDX-License-Identifier: Apache-2.0
# The kernels of pointers.py, which executes this file with `triton` and `tl` of one of the compilers.


@triton.jit  # noqa: F821
def softmax(out_ptr, x_ptr, stride, n, BLOCK: tl.constexpr):  # noqa: F821
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + columns, mask=columns < n, other=-float("inf"))
    top = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * stride + columns, top / tl.sum(top, axis=0), mask=columns < n)


@triton.jit  # noqa: F821
def layer_norm(x_ptr, y_ptr, w_ptr, b_ptr, n, eps, BLOCK: tl.constexpr):  # noqa: F821
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < n
    x = tl.load(x_ptr + row * n + columns, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / n
    centered = tl.where(mask, x - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centered * centered, axis=0) / n + eps)
    w, b = tl.load(w_ptr + columns, mask=mask), tl.load(b_ptr + columns, mask=mask)
    tl.store(y_ptr + row * n + columns, centered * scale * w + b, mask=mask)


@triton.jit  # noqa: F821
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, am, ak, bk, bn, cm, cn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,  # noqa: F821
           GROUP: tl.constexpr):  # noqa: F821
    pid = tl.program_id(0)
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    in_group = GROUP * columns
    first = pid // in_group * GROUP
    height = min(rows - first, GROUP)
    pid_m, pid_n = first + pid % in_group % height, pid % in_group // height
    tl.assume(pid_m >= 0)
    tl.assume(pid_n >= 0)
    i, j, k = (pid_m * BM + tl.arange(0, BM)) % M, (pid_n * BN + tl.arange(0, BN)) % N, tl.arange(0, BK)
    a_ptrs, b_ptrs = a_ptr + i[:, None] * am + k[None, :] * ak, b_ptr + k[:, None] * bk + j[None, :] * bn
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BK)):
        a = tl.load(a_ptrs, mask=k[None, :] < K - step * BK, other=0.0)
        b = tl.load(b_ptrs, mask=k[:, None] < K - step * BK, other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BK * ak
        b_ptrs += BK * bk
    i, j = pid_m * BM + tl.arange(0, BM), pid_n * BN + tl.arange(0, BN)
    tl.store(c_ptr + i[:, None] * cm + j[None, :] * cn, acc.to(tl.float16), mask=(i[:, None] < M) & (j[None, :] < N))


@triton.jit  # noqa: F821
def attention(q_ptr, k_ptr, v_ptr, o_ptr, T, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):  # noqa: F821
    base = tl.program_id(1) * T * D
    i, d = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D)
    j = tl.arange(0, BN)
    q = tl.load(q_ptr + base + i[:, None] * D + d[None, :])
    biggest, total = tl.full((BM,), -float("inf"), tl.float32), tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    factor = scale * 1.44269504
    for first in range(0, T, BN):
        k = tl.load(k_ptr + base + (first + j)[None, :] * D + d[:, None])
        scores = tl.dot(q, k) * factor
        now = tl.maximum(biggest, tl.max(scores, axis=1))
        p = tl.exp2(scores - now[:, None])
        kept = tl.exp2(biggest - now)
        total = total * kept + tl.sum(p, axis=1)
        v = tl.load(v_ptr + base + (first + j)[:, None] * D + d[None, :])
        acc = tl.dot(p.to(tl.float16), v, acc * kept[:, None])
        biggest = now
    tl.store(o_ptr + base + i[:, None] * D + d[None, :], (acc / total[:, None]).to(tl.float16))
