# SPDX-License-Identifier: Apache-2.0
"""Reductions over registers, lanes and warps, and what is made of them."""
import numpy as np
import tilelang.language as T

from case import CASES, EVERY, case, floats, integers

ROWS = [dict(M=8, N=512, threads=128), dict(M=5, N=100, threads=64), dict(M=1, N=2, threads=32)]


def row_reduce(name, op, numpy_op, dtype="float32", maker=floats, terms=lambda **_: 0):
    def factory(M, N, threads):
        @T.prim_func
        def main(A: T.Tensor((M, N), dtype), B: T.Tensor((M,), dtype)):
            with T.Kernel(T.ceildiv(M, 2), threads=threads) as bx:
                x = T.alloc_fragment((2, N), dtype)
                r = T.alloc_fragment((2,), dtype)
                T.copy(A[bx * 2, 0], x)
                op(x, r, dim=1)
                T.copy(r, B[bx * 2])
        return main

    factory.__name__ = name
    return case(sizes=ROWS, inputs=lambda rng, M, N, **_: [maker(rng, M, N)],
                reference=lambda x, **_: [numpy_op(x[0])], terms=terms)(factory)


row_reduce("row_sum", T.reduce_sum, lambda a: a.astype(np.float64).sum(1), terms=lambda N, **_: N)
row_reduce("row_max", T.reduce_max, lambda a: a.max(1))
row_reduce("row_min", T.reduce_min, lambda a: a.min(1))
row_reduce("row_abssum", T.reduce_abssum, lambda a: np.abs(a.astype(np.float64)).sum(1), terms=lambda N, **_: N)
row_reduce("row_absmax", T.reduce_absmax, lambda a: np.abs(a).max(1))
row_reduce("row_sum_int", T.reduce_sum, lambda a: a.sum(1), "int32", integers)
row_reduce("row_bitand", T.reduce_bitand, lambda a: np.bitwise_and.reduce(a, 1), "int32", integers)
row_reduce("row_bitor", T.reduce_bitor, lambda a: np.bitwise_or.reduce(a, 1), "int32", integers)
row_reduce("row_bitxor", T.reduce_bitxor, lambda a: np.bitwise_xor.reduce(a, 1), "int32", integers)


def with_nan(rng, M, N):
    """Rows with a NaN each, but for the even ones."""
    x = floats(rng, M, N)
    x[1::2, N // 2] = np.nan
    return x


def nan_reduce(name, op, numpy_op, dtype):
    @case(sizes=ROWS, inputs=lambda rng, M, N, **_: [with_nan(rng, M, N).astype(dtype), floats(rng, M).astype(dtype)],
          reference=lambda x, **_: [numpy_op(x[0], x[1])])
    def factory(M, N, threads):
        @T.prim_func
        def main(A: T.Tensor((M, N), dtype), R: T.Tensor((M,), dtype), B: T.Tensor((M,), dtype)):
            with T.Kernel(T.ceildiv(M, 2), threads=threads) as bx:
                x = T.alloc_fragment((2, N), dtype)
                r = T.alloc_fragment((2,), dtype)
                T.copy(A[bx * 2, 0], x)
                T.copy(R[bx * 2], r)
                op(x, r, dim=1, clear=False, nan_propagate=True)
                T.copy(r, B[bx * 2])
        return main

    CASES[-1].name = name


nan_reduce("row_max_nan", T.reduce_max, lambda a, r: np.maximum(a.max(1), r), "float32")
nan_reduce("row_min_nan", T.reduce_min, lambda a, r: np.minimum(a.min(1), r), "float16")
nan_reduce("row_absmax_nan", T.reduce_absmax, lambda a, r: np.maximum(np.abs(a).max(1), r), "float32")


@case(sizes=[dict(M=64, N=32, BM=64), dict(M=33, N=7, BM=16), dict(M=2, N=1, BM=4)],
      inputs=lambda rng, M, N, **_: [floats(rng, M, N)],
      reference=lambda x, **_: [x[0].astype(np.float64).sum(0)], terms=lambda M, **_: M)
def column_sum(M, N, BM):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=64) as _:
            x = T.alloc_fragment((BM, N), "float32")
            r = T.alloc_fragment((N,), "float32")
            T.clear(r)
            for k in T.serial(T.ceildiv(M, BM)):
                T.copy(A[k * BM, 0], x)
                T.reduce_sum(x, r, dim=0, clear=False)
            T.copy(r, B)
    return main


@case(sizes=[dict(M=8, N=1024, BN=256), dict(M=3, N=200, BN=64), dict(M=1, N=5, BN=8)],
      inputs=lambda rng, M, N, **_: [floats(rng, M, N)],
      reference=lambda x, **_: [x[0].astype(np.float64).sum(1)], terms=lambda N, **_: N)
def row_sum_in_tiles(M, N, BN):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M,), "float32")):
        with T.Kernel(T.ceildiv(M, 4), threads=64) as bx:
            x = T.alloc_fragment((4, BN), "float32")
            r = T.alloc_fragment((4,), "float32")
            T.clear(r)
            for k in T.Pipelined(T.ceildiv(N, BN), num_stages=2):
                T.copy(A[bx * 4, k * BN], x)
                T.reduce_sum(x, r, dim=1, clear=False)
            T.copy(r, B[bx * 4])
    return main


def softmax(x):
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


@case(sizes=[dict(M=8, N=512, threads=128), dict(M=7, N=96, threads=64), dict(M=1, N=2, threads=32)],
      inputs=lambda rng, M, N, **_: [floats(rng, M, N) * 4],
      reference=lambda x, **_: [softmax(x[0])], terms=lambda N, **_: N, magnitude=np.abs, targets=EVERY)
def row_softmax(M, N, threads):
    @T.prim_func
    def main(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(M, 2), threads=threads) as bx:
            x = T.alloc_fragment((2, N), "float32")
            m = T.alloc_fragment((2,), "float32")
            s = T.alloc_fragment((2,), "float32")
            T.copy(X[bx * 2, 0], x)
            T.reduce_max(x, m, dim=1)
            for i, j in T.Parallel(2, N):
                x[i, j] = T.exp2(x[i, j] * 1.4426950408889634 - m[i] * 1.4426950408889634)
            T.reduce_sum(x, s, dim=1)
            for i, j in T.Parallel(2, N):
                x[i, j] = x[i, j] / s[i]
            T.copy(x, Y[bx * 2, 0])
    return main


@case(sizes=[dict(M=8, N=256), dict(M=3, N=40), dict(M=1, N=2)],
      inputs=lambda rng, M, N: [floats(rng, M, N), floats(rng, N)],
      reference=lambda x, N, **_: [x[0].astype(np.float64)
                                   / np.sqrt((x[0].astype(np.float64) ** 2).sum(1, keepdims=True) / N + 1e-5) * x[1]],
      terms=lambda N, **_: N, targets=EVERY)
def rms_norm(M, N):
    @T.prim_func
    def main(X: T.Tensor((M, N), "float32"), W: T.Tensor((N,), "float32"), Y: T.Tensor((M, N), "float32")):
        with T.Kernel(M, threads=64) as bx:
            x = T.alloc_fragment((1, N), "float32")
            q = T.alloc_fragment((1, N), "float32")
            s = T.alloc_fragment((1,), "float32")
            w = T.alloc_fragment((N,), "float32")
            T.copy(X[bx, 0], x)
            T.copy(W, w)
            for i, j in T.Parallel(1, N):
                q[i, j] = x[i, j] * x[i, j]
            T.reduce_sum(q, s, dim=1)
            for i, j in T.Parallel(1, N):
                x[i, j] = x[i, j] * T.rsqrt(s[i] / N + 1e-5) * w[j]
            T.copy(x, Y[bx, 0])
    return main


@case(sizes=[dict(M=5, N=8), dict(M=7, N=3), dict(M=1, N=1)], inputs=lambda rng, M, N: [integers(rng, M, N)],
      reference=lambda x, **_: [x[0].max(0)])
def column_max_of_96_threads(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=96) as _:
            x = T.alloc_fragment((M, N), "int32")
            r = T.alloc_fragment((N,), "int32")
            T.copy(A, x)
            T.reduce_max(x, r, dim=0)
            T.copy(r, B)
    return main


@case(sizes=[dict(N=8), dict(N=24), dict(N=5)], inputs=lambda rng, N: [integers(rng, 1, N)],
      reference=lambda x, N: [x[0] + x[0].max() + x[0][0, 2], x[0].max(1) + x[0][0, 2]], outputs=(1, 2))
def one_element_that_all_threads_read(N):
    @T.prim_func
    def main(A: T.Tensor((1, N), "int32"), B: T.Tensor((1, N), "int32"), C: T.Tensor((1,), "int32")):
        with T.Kernel(1, threads=32) as _:
            x = T.alloc_fragment((1, N), "int32")
            y = T.alloc_fragment((1, N), "int32")
            most = T.alloc_fragment((1,), "int32")
            for i, j in T.Parallel(1, N):
                x[i, j] = A[0, j]
            for i, j in T.Parallel(1, N):
                y[i, j] = A[0, j]
            T.reduce_max(x, most, dim=1)
            for i in T.Parallel(1):
                most[i] = y[i, 2] + most[i]
            for i, j in T.Parallel(1, N):
                B[i, j] = x[i, j] + most[i]
            T.copy(most, C)
    return main


@case(sizes=[dict(N=64), dict(N=40), dict(N=3)], inputs=lambda rng, N: [floats(rng, N, 8, 4)], outputs=(1, 2),
      reference=lambda x, N: [x[0].astype(np.float64).sum(axis=2), x[0].max(axis=(1, 2))], terms=lambda N: 4)
def over_threads(N):
    """T.tvm_thread_allreduce over one dimension of the threads, and over both, twice in a loop."""
    @T.prim_func
    def main(A: T.Tensor((N, 8, 4), "float32"), B: T.Tensor((N, 8), "float32"), C: T.Tensor((N,), "float32")):
        total = T.alloc_buffer((N, 8), "float32")
        with T.Kernel(N, threads=(4, 8)) as bx:
            tx = T.get_thread_binding(0)
            ty = T.get_thread_binding(1)
            part = T.alloc_local((2,), "float32")
            for k in T.serial(2):
                part[1] = A[bx, ty, tx]
                with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "reduce_scope", 0):
                    T.evaluate(T.tvm_thread_allreduce(T.uint32(1), part[1], True, part[0], tx, dtype="handle"))
                if tx == k:
                    total[bx, ty] = part[0]
                with T.attr(T.comm_reducer(lambda x, y: T.max(x, y), [T.min_value("float32")]), "reduce_scope", 0):
                    T.tvm_thread_allreduce(T.uint32(1), part[1], True, part[0], ty, tx)
            if tx == 0:
                if ty == 0:
                    C[bx] = part[0]
        with T.Kernel(N, threads=32) as bx:
            T.copy(total[bx, 0:8], B[bx, 0:8])
    return main


def thirds(x, M, N):
    a = x[0]
    chosen = np.minimum(2, np.arange(N) // 4)
    return [np.array([a[:, chosen == k].sum() for k in range(3)]),
            a.sum() * np.arange(1.0, 5.0),
            np.stack([a.sum(axis=0), 2 * a.sum(axis=0)]),
            a[:, : min(M, N)].sum(axis=1)[: min(M, N)] + a[: min(M, N)].sum(axis=0)[: min(M, N)] if M == N
            else np.zeros(min(M, N))]


@case(sizes=[dict(M=32, N=24), dict(M=16, N=16), dict(M=5, N=9)], inputs=lambda rng, M, N: [floats(rng, M, N)],
      reference=thirds, outputs=(1, 2, 3, 4), terms=lambda M, N: M * N * 4)
def reducer_elements_by_any_index(M, N):
    """Targets of an iteration's sum: a computed element, one of an outer loop, a separate row."""
    S = min(M, N)

    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((3,), "float32"), C: T.Tensor((4,), "float32"),
             D: T.Tensor((2, N), "float32"), E: T.Tensor((S,), "float32")):
        with T.Kernel(1, threads=64):
            f = T.alloc_fragment((M, N), "float32")
            T.copy(A, f)
            thirds = T.alloc_reducer(3, "float32", replication="all")
            weighted = T.alloc_reducer(4, "float32", replication="all")
            rows = T.alloc_reducer((2, N), "float32", replication="all")
            both = T.alloc_reducer((S,), "float32", replication="all")
            T.clear(thirds)
            T.clear(weighted)
            T.clear(rows)
            T.clear(both)
            for i, j in T.Parallel(M, N):
                thirds[T.min(2, j // 4)] += f[i, j]
            for h in T.serial(4):
                for i, j in T.Parallel(M, N):
                    weighted[h] += f[i, j] * (h + 1)
            for i, j in T.Parallel(M, N):
                rows[0, j] += f[i, j]
                rows[1, j] += f[i, j] * 2.0
            if M == N:
                for i, j in T.Parallel(M, N):
                    both[i] += f[i, j]
                    both[j] += f[i, j]
            T.finalize_reducer(thirds)
            T.finalize_reducer(weighted)
            T.finalize_reducer(rows)
            T.finalize_reducer(both)
            T.copy(thirds, B)
            T.copy(weighted, C)
            T.copy(rows, D)
            T.copy(both, E)
    return main


@case(sizes=[dict(M=8, N=16, K=4), dict(M=5, N=9, K=3), dict(M=1, N=33, K=7)], inputs=lambda rng, M, N, K: [integers(rng, 2, M, N, K)],
      reference=lambda x, **_: [x[0].sum(axis=0).transpose(2, 1, 0), x[0].sum(axis=(0, 1)).T, x[0][0].max(axis=1).T,
                                np.bitwise_or.reduce(x[0][0], axis=(0, 2))[None].repeat(2, 0)],
      outputs=(1, 2, 3, 4))
def permuted_reducers(M, N, K):
    """Indices in another order than the loop's, kept over a serial loop; bits into a part of a reducer."""
    @T.prim_func
    def main(A: T.Tensor((2, M, N, K), "int32"), B: T.Tensor((K, N, M), "int32"), C: T.Tensor((K, N), "int32"), D: T.Tensor((K, M), "int32"),
             E: T.Tensor((2, N), "int32")):
        with T.Kernel(1, threads=64):
            turned, sums = T.alloc_reducer((K, N, M), "int32"), T.alloc_reducer((K, N), "int32")
            most, bits = T.alloc_reducer((K, M), "int32", op="max"), T.alloc_reducer((2, N), "int32", op="bitor")
            T.reducer_init(turned)
            T.reducer_init(sums)
            T.reducer_init(most)
            T.reducer_init(bits)
            for s in T.serial(2):
                for i, j, k in T.Parallel(M, N, K):
                    T.reducer_update(turned[k, j, i], A[s, i, j, k])
                    sums[k, j] += A[s, i, j, k]
            for i, j, k in T.Parallel(M, N, K):
                T.reducer_update(most[k, i], A[0, i, j, k])
                T.reducer_update(bits[0, j], A[0, i, j, k])
                T.reducer_update(bits[1, j], A[0, i, j, k])
            T.finalize_reducer(turned)
            T.finalize_reducer(sums)
            T.finalize_reducer(most)
            T.finalize_reducer(bits)
            T.copy(turned, B)
            T.copy(sums, C)
            T.copy(most, D)
            T.copy(bits, E)
    return main


def reduced(op, src, out, **options):
    """A function of the program that passes its keywords on."""
    {"sum": T.reduce_sum, "max": T.reduce_max}[op](src, out, **options)


@case(sizes=[dict(N=64, threads=64), dict(N=37, threads=32), dict(N=200, threads=128)],
      inputs=lambda rng, N, **_: [integers(rng, 3, N)],
      reference=lambda x, **_: [np.stack([x[0].sum(1), x[0].max(1), x[0].sum(1) + 7, x[0][:, :5].sum(1)], 1)], targets=EVERY)
def reductions_into_variables(N, threads):
    """Of a fragment by the block, and of memory of each thread."""
    @T.prim_func
    def main(A: T.Tensor((3, N), "int32"), B: T.Tensor((3, 4), "int32")):
        with T.Kernel(3, threads=threads) as bx:
            f, own = T.alloc_fragment((N,), "int32"), T.alloc_local((5,), "int32")
            total, most, more, few = T.alloc_var("int32"), T.alloc_var("int32"), T.alloc_var("int32", 7), T.alloc_var("int32")
            part = T.alloc_fragment((1,), "int32")
            T.copy(A[bx, 0:N], f)
            for i in T.serial(5):
                own[i] = A[bx, i]
            T.reduce_sum(f, total)
            T.reduce_max(f, most, dim=0)
            reduced("sum", f, part, dim=0, clear=True)
            T.reduce_sum(f, more, clear=False)
            T.reduce_sum(own, few)
            B[bx, 0] = total
            B[bx, 1] = most
            B[bx, 2] = more
            B[bx, 3] = few
    return main


@case(sizes=[dict(M=M, N=N, dtype=dtype, threads=threads, down=down)
             for M, N, dtype, threads, down in ((1, 256, "float32", 128, False), (3, 100, "int32", 64, True), (8, 7, "float16", 128, False),
                                                (2, 33, "uint8", 32, True), (1, 1, "float64", 32, False), (5, 1, "int64", 96, False))],
      inputs=lambda rng, M, N, dtype, **_: [rng.integers(0, 100, (M, N)).astype(dtype)], outputs=[1, 2],
      reference=lambda x, down, **_: [np.sort(x[0], -1)[:, ::-1] if down else np.sort(x[0], -1), np.sort(x[0][:, ::2], -1)])
def sorted_lines(M, N, dtype, threads, down):
    """Of a slice of a ring-like buffer, and of a fragment."""
    half = (N + 1) // 2

    @T.prim_func
    def main(A: T.Tensor((M, N), dtype), B: T.Tensor((M, N), dtype), C: T.Tensor((M, half), dtype)):
        with T.Kernel(1, threads=threads):
            s = T.alloc_shared((2, M, N), dtype)
            f = T.alloc_fragment((M, half), dtype)
            T.copy(A, s[1, :, :])
            for i, j in T.Parallel(M, half):
                f[i, j] = s[1, i, j * 2]
            T.sort(s[1, :, :], descending=down)
            T.sort(f)
            T.copy(s[1, :, :], B)
            T.copy(f, C)
    return main


@case(sizes=[dict(N=64, threads=128), dict(N=100, threads=96), dict(N=3, threads=64)],
      inputs=lambda rng, N, threads: [rng.integers(0, 100, (4, N)).astype("int32")], outputs=[1],
      reference=lambda x, **_: [np.sort(x[0], -1)], targets=("mp_31",))
def lines_sorted_by_some_threads(N, threads):
    """One after the other, by two of the warps."""
    @T.prim_func
    def main(A: T.Tensor((4, N), "int32"), B: T.Tensor((4, N), "int32")):
        with T.Kernel(1, threads=threads):
            s = T.alloc_shared((4, N), "int32")
            T.copy(A, s)
            for k in T.serial(4):
                if T.get_thread_binding() < 64:
                    T.sort(s[k, 0:N])
            T.copy(s, B)
    return main


def parts(x, first, column):
    part = x[0].astype(np.float64)[first:first + 32, column:]
    sums = np.full(40, 7.0)
    sums[first:first + 32] += part.sum(axis=1)
    return [sums, part @ x[1].astype(np.float64)[column:]]


@case(sizes=[dict(first=1, column=16), dict(first=3, column=5), dict(first=0, column=12), dict(first=8, column=31)], reference=parts, outputs=(-2, -1),
      inputs=lambda rng, first, column: [floats(rng, 40, 32), floats(rng, 32, 8)], terms=lambda **_: 33, targets=EVERY)
def reduced_part_of_a_fragment(first, column):
    """Regions that split a thread's elements: of a reduction, of its result and of a matmul's operand."""
    @T.prim_func
    def main(A: T.Tensor((40, 32), "float32"), W: T.Tensor((32, 8), "float32"), B: T.Tensor((40,), "float32"), C: T.Tensor((32, 8), "float32")):
        with T.Kernel(1, threads=128):
            x = T.alloc_fragment((40, 32), "float32")
            w = T.alloc_shared((32, 8), "float32")
            sums = T.alloc_fragment((40,), "float32")
            c = T.alloc_fragment((32, 8), "float32")
            T.copy(A, x)
            T.copy(W, w)
            T.fill(sums, 7)
            T.reduce_sum(x[first:first + 32, column:], sums[first:first + 32], dim=1, clear=False)
            T.clear(c)
            T.gemm(x[first:first + 32, column:], w[column:, :], c)
            T.copy(sums, B)
            T.copy(c, C)
    return main


def combined_bits(x):
    a = x[0]
    return [np.bitwise_and.reduce(a, 1), np.bitwise_or.reduce(a, 1), np.bitwise_xor.reduce(a, 0)]


@case(sizes=[dict(M=M, N=N, dtype=dtype) for M, N, dtype in ((16, 64, "int32"), (3, 100, "uint8"), (40, 7, "int64"), (1, 33, "uint32"))],
      inputs=lambda rng, M, N, dtype: [rng.integers(0, 250, (M, N)).astype(dtype) | np.array(4, dtype)],
      reference=lambda x, **_: combined_bits(x), outputs=(1, 2, 3))
def reducers_of_bits(M, N, dtype):
    """Of rows by an operator and by T.reducer_update, and of columns."""
    @T.prim_func
    def main(A: T.Tensor((M, N), dtype), B: T.Tensor((M,), dtype), C: T.Tensor((M,), dtype), D: T.Tensor((N,), dtype)):
        with T.Kernel(1, threads=64):
            common = T.alloc_reducer((M,), dtype, op="bitand")
            any_of = T.alloc_reducer((M,), dtype, op="bitor")
            parity = T.alloc_reducer((N,), dtype, op="bitxor")
            T.reducer_init(common)
            T.reducer_init(any_of)
            T.reducer_init(parity)
            for i, j in T.Parallel(M, N):
                common[i] &= A[i, j]
                T.reducer_update(any_of[i], A[i, j])
                parity[j] ^= A[i, j]
            T.finalize_reducer(common)
            T.finalize_reducer(any_of)
            T.finalize_reducer(parity)
            T.copy(common, B)
            T.copy(any_of, C)
            T.copy(parity, D)
    return main
