# SPDX-License-Identifier: Apache-2.0
"""Dynamic extents and scalars, attention, several kernels in one function, records."""
import numpy as np
import tilelang.language as T

from case import case, floats, integers

LINE = [dict(N=1024), dict(N=333), dict(N=1)]


@case(sizes=LINE, inputs=lambda rng, N: [floats(rng, N), floats(rng, N)],
      reference=lambda x, N: [x[0].astype(np.float64) + x[1]])
def add_dynamic(N):
    n = T.dynamic("i")  # a loop variable may have the same name

    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32"), C: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 256), threads=128) as bx:
            for i in T.Parallel(256):
                C[bx * 256 + i] = A[bx * 256 + i] + B[bx * 256 + i]
    return main


@case(sizes=[dict(M=32, N=64), dict(M=19, N=45), dict(M=1, N=1)],
      inputs=lambda rng, M, N: [floats(rng, M, N, dtype=np.float16)],
      reference=lambda x, **_: [np.ascontiguousarray(x[0].T)])
def transpose_dynamic(M, N):
    m, n = T.dynamic("m"), T.dynamic("n")

    @T.prim_func
    def main(A: T.Tensor((m, n), "float16"), B: T.Tensor((n, m), "float16")):
        with T.Kernel(T.ceildiv(n, 16), T.ceildiv(m, 16), threads=64) as (bx, by):
            s = T.alloc_shared((16, 16), "float16")
            t = T.alloc_shared((16, 16), "float16")
            T.copy(A[by * 16, bx * 16], s)
            for i, j in T.Parallel(16, 16):
                t[i, j] = s[j, i]
            T.copy(t, B[bx * 16, by * 16])
    return main


@case(sizes=[dict(M=5, N=100), dict(M=2, N=33), dict(M=6, N=64)],
      inputs=lambda rng, M, N: [floats(rng, M, N)],
      reference=lambda x, M, N: [np.concatenate([x[0][:2], np.pad(x[0][3:5], [(0, max(0, 5 - M)), (0, 0)])[:2]])])
def rows_by_number(M, N):
    """Rows that a number names, of tensors whose rows are as long as the call says."""
    m, n = T.dynamic("m"), T.dynamic("n")

    @T.prim_func
    def main(A: T.Tensor((m, n), "float32"), B: T.Tensor((4, n), "float32")):
        with T.Kernel(T.ceildiv(n, 32), threads=32) as bx:
            s = T.alloc_shared((2, 32), "float32")
            T.copy(A[3, bx * 32], s)
            T.copy(s, B[2, bx * 32])
            for j in T.Parallel(32):
                if bx * 32 + j < n:
                    B[0, bx * 32 + j] = A[0, bx * 32 + j]
                    B[1, bx * 32 + j] = A[1, bx * 32 + j]
    return main


@case(sizes=LINE, inputs=lambda rng, N: [floats(rng, N), 3], reference=lambda x, N: [x[0].astype(np.float64) * 3])
def scale_by_argument(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), k: T.int32, B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 128), threads=64) as bx:
            for i in T.Parallel(128):
                B[bx * 128 + i] = A[bx * 128 + i] * k
    return main


@case(sizes=LINE, inputs=lambda rng, N: [floats(rng, N)], reference=lambda x, N: [x[0].astype(np.float64) * 2, x[0].astype(np.float64) * 2 + 1],
      outputs=[1, 2])
def two_kernels(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 128), threads=64) as bx:
            for i in T.Parallel(128):
                B[bx * 128 + i] = A[bx * 128 + i] * 2.0
        with T.Kernel(T.ceildiv(N, 64), threads=32) as bx:
            for i in T.Parallel(64):
                C[bx * 64 + i] = B[bx * 64 + i] + 1.0
    return main


def attention_reference(x, D, **_):
    q, k, v = (a.astype(np.float64) for a in x)
    s = q @ k.T / np.sqrt(D)
    p = np.exp(s - s.max(1, keepdims=True))
    return [p / p.sum(1, keepdims=True) @ v]


@case(sizes=[dict(L=64, D=32), dict(L=40, D=24), dict(L=2, D=8)],
      inputs=lambda rng, L, D: [floats(rng, L, D) for _ in range(3)],
      reference=attention_reference, terms=lambda L, D: L + D)
def attention_online(L, D):
    scale = 1.4426950408889634 / D**0.5

    @T.prim_func
    def main(Q: T.Tensor((L, D), "float32"), K: T.Tensor((L, D), "float32"), V: T.Tensor((L, D), "float32"),
             O: T.Tensor((L, D), "float32")):
        with T.Kernel(T.ceildiv(L, 16), threads=64) as bx:
            q = T.alloc_shared((16, D), "float32")
            k = T.alloc_shared((16, D), "float32")
            v = T.alloc_shared((16, D), "float32")
            s = T.alloc_fragment((16, 16), "float32")
            o = T.alloc_fragment((16, D), "float32")
            best = T.alloc_fragment((16,), "float32")
            before = T.alloc_fragment((16,), "float32")
            total = T.alloc_fragment((16,), "float32")
            part = T.alloc_fragment((16,), "float32")
            T.copy(Q[bx * 16, 0], q)
            T.clear(o)
            T.clear(total)
            T.fill(best, -1e30)
            for t in T.Pipelined(T.ceildiv(L, 16), num_stages=2):
                T.copy(K[t * 16, 0], k)
                T.copy(V[t * 16, 0], v)
                T.clear(s)
                T.gemm(q, k, s, transpose_B=True)
                for i, j in T.Parallel(16, 16):
                    s[i, j] = T.if_then_else(t * 16 + j < L, s[i, j] * scale, -1e30)
                T.copy(best, before)
                T.reduce_max(s, best, dim=1, clear=False)
                for i, j in T.Parallel(16, 16):
                    s[i, j] = T.exp2(s[i, j] - best[i])
                T.reduce_sum(s, part, dim=1)
                for i in T.Parallel(16):
                    total[i] = total[i] * T.exp2(before[i] - best[i]) + part[i]
                for i, j in T.Parallel(16, D):
                    o[i, j] = o[i, j] * T.exp2(before[i] - best[i])
                T.gemm(s, v, o)
            for i, j in T.Parallel(16, D):
                o[i, j] = o[i, j] / total[i]
            T.copy(o, O[bx * 16, 0])
    return main


@case(sizes=LINE, inputs=lambda rng, N: [integers(rng, N, dtype=np.int64, lo=-2**40, hi=2**40)],
      reference=lambda x, N: [x[0] * 3 - 7])
def long_integers(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "int64"), B: T.Tensor((N,), "int64")):
        with T.Kernel(T.ceildiv(N, 128), threads=64) as bx:
            x = T.alloc_fragment((128,), "int64")
            T.copy(A[bx * 128], x)
            for i in T.Parallel(128):
                x[i] = x[i] * 3 - 7
            T.copy(x, B[bx * 128])
    return main


@case(sizes=LINE, inputs=lambda rng, N: [rng.integers(0, 256, N).astype(np.uint8)],
      reference=lambda x, N: [(x[0] >> 1) ^ x[0]])
def gray_code_bytes(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "uint8"), B: T.Tensor((N,), "uint8")):
        with T.Kernel(T.ceildiv(N, 256), threads=32) as bx:
            for i in T.Parallel(256):
                B[bx * 256 + i] = (A[bx * 256 + i] >> 1) ^ A[bx * 256 + i]
    return main


@case(sizes=LINE, inputs=lambda rng, N: [floats(rng, N)], reference=lambda x, N: [np.abs(x[0])])
def asserted(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
            x = T.alloc_fragment((64,), "float32")
            T.copy(A[bx * 64], x)
            for i in T.Parallel(64):
                x[i] = T.abs(x[i])
            T.copy(x, B[bx * 64])
            tx = T.get_thread_binding(0)
            T.device_assert(tx < 64, "a thread too many")
            if tx == 0:
                T.print(bx, msg="block")
    return main


@case(sizes=[dict(M=32, N=16, K=32), dict(M=9, N=7, K=21), dict(M=1, N=1, K=1)],
      inputs=lambda rng, M, N, K: [floats(rng, M, K), floats(rng, K, N)],
      reference=lambda x, **_: [x[0].astype(np.float64) @ x[1].astype(np.float64)], terms=lambda K, **_: K)
def gemm_fragment_b(M, N, K):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float32"), B: T.Tensor((K, N), "float32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 16), T.ceildiv(M, 16), threads=64) as (bx, by):
            a = T.alloc_shared((16, 8), "float32")
            b = T.alloc_fragment((8, 16), "float32")
            c = T.alloc_fragment((16, 16), "float32")
            T.clear(c)
            for k in T.serial(T.ceildiv(K, 8)):
                T.copy(A[by * 16, k * 8], a)
                T.copy(B[k * 8, bx * 16], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 16, bx * 16])
    return main


@case(sizes=[dict(N=1024), dict(N=332), dict(N=4)], inputs=lambda rng, N: [floats(rng, N), floats(rng, N // 4 + 3)],
      reference=lambda x, N: [x[0].astype(np.float64) + np.repeat(x[1][:N // 4], 4)])
def extent_is_a_multiple(N):
    n = T.dynamic("n")

    @T.prim_func
    def main(A: T.Tensor((n * 4,), "float32"), B: T.Tensor((3 + n,), "float32"), C: T.Tensor((4 * n,), "float32")):
        with T.Kernel(T.ceildiv(n, 32), threads=64) as bx:
            for i in T.Parallel(128):
                C[bx * 128 + i] = A[bx * 128 + i] + B[bx * 32 + i // 4]
    return main


@case(sizes=[dict(M=64, N=64), dict(M=19, N=45), dict(M=1, N=1)],
      inputs=lambda rng, M, N: [floats(rng, M, N)],
      reference=lambda x, M, N: [x[0].astype(np.float64) * 2 + N])
def extent_of_a_stride(M, N):
    pitch = T.dynamic("pitch")

    @T.prim_func
    def main(A: T.StridedTensor((M, N), (pitch, 1), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 16), T.ceildiv(M, 16), threads=64) as (bx, by):
            for i, j in T.Parallel(16, 16):
                B[by * 16 + i, bx * 16 + j] = A[by * 16 + i, bx * 16 + j] * 2.0 + pitch
    return main


@case(sizes=[dict(N=1024, n=700), dict(N=333, n=333), dict(N=5, n=0)],
      inputs=lambda rng, N, n: [floats(rng, N), np.int32(n)],
      reference=lambda x, N, n: [np.where(np.arange(N) < n, x[0] * 2.0, -1.0)])
def copied_up_to_an_argument(N, n):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), n: T.int32, B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 128), threads=64) as bx:
            s = T.alloc_shared((128,), "float32")
            first = bx * 128
            length = T.max(0, T.min(n - first, 128))
            T.copy(A[first:first + length], s[0:length])
            for i in T.Parallel(128):
                if i < length:
                    s[i] = s[i] * 2.0
            T.fill(s[length:128], -1.0)
            T.copy(s, B[first])
    return main


@case(sizes=[dict(M=32, N=64), dict(M=19, N=45), dict(M=1, N=1)],
      inputs=lambda rng, M, N: [floats(rng, M, N, dtype=np.float16)],
      reference=lambda x, **_: [np.ascontiguousarray(x[0][:, ::1].astype(np.float32))])
def copied_between_tensors(M, N):
    m, n = T.dynamic("m"), T.dynamic("n")

    @T.prim_func
    def main(A: T.Tensor((m, n), "float16"), B: T.Tensor((m, n), "float32")):
        with T.Kernel(1, threads=96):
            for n in T.serial(1):  # another n than the extent
                T.copy(A[n:, :], B[n:, :])
    return main


@case(sizes=LINE, inputs=lambda rng, N: [floats(rng, N), np.int32(N)],
      reference=lambda x, N: [x[0] + np.float32(1)])
def assumed_bounds(N):
    n = T.dynamic("n")

    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), count: T.int32, B: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=64):
            T.assume(n >= 1)
            T.assume(count == n)
            tx = T.get_thread_binding()
            at = T.alloc_var("int32")
            for k in T.serial(T.ceildiv(n, 64)):
                at = k * 64 + tx
                T.assume(at >= 0)
                if at < count:
                    T.assume(at < n)
                    B[at] = A[at] + 1.0
    return main


def chunks_before(x, block, n):
    lengths = np.diff(x[0])
    return [np.concatenate([[0], np.cumsum(-(-lengths // 16))]).astype(np.int32)]


@case(sizes=[dict(block=8, n=8), dict(block=32, n=5), dict(block=1, n=1)], reference=chunks_before,
      inputs=lambda rng, block, n: [np.concatenate([[0], np.cumsum(rng.integers(1, 90, n))]).astype(np.int32)])
def slices_of_run_time_into_fragments(block, n):
    """The fragment's extents count, one of a single element's as well; what ends the copy is the tensor's edge."""
    m = T.dynamic("m")

    @T.prim_func
    def main(ends: T.Tensor((m,), "int32"), offsets: T.Tensor((m,), "int32")):
        with T.Kernel(1, threads=32):
            begins = T.alloc_fragment((block,), "int32")
            until = T.alloc_fragment((block,), "int32")
            T.copy(ends[:m - 1], begins)
            T.copy(ends[1:], until)
            for i in T.Parallel(block):
                until[i] = (until[i] - begins[i] + 15) // 16
            T.cumsum(src=until, dim=0)
            offsets[0] = 0
            T.copy(until, offsets[1:])
    return main
