# SPDX-License-Identifier: Apache-2.0
"""Tensors at addresses that a kernel reads: tables of pointers. Rows of 16 bytes keep the addresses aligned."""
import numpy as np
import tilelang.language as T
from case import EVERY, Addresses, case, floats, integers


@case(sizes=[dict(G=4, N=64), dict(G=3, N=100), dict(G=1, N=4)], targets=EVERY,
      inputs=lambda rng, G, N: [Addresses(1), floats(rng, G, N)],
      reference=lambda x, G, N: [np.asarray(x[1], np.float64) * 2])
def doubled_at_addresses(G, N):
    """Elements, read in T.Parallel."""
    @T.prim_func
    def kernel(table: T.Tensor((G,), T.ptr), A: T.Tensor((G, N), "float32"), B: T.Tensor((G, N), "float32")):
        with T.Kernel(T.ceildiv(N, 64), G, threads=64) as (bx, by):
            row = T.make_tensor(table[by], (N,), "float32")
            for i in T.Parallel(64):
                B[by, bx * 64 + i] = row[bx * 64 + i] * 2
    return kernel


@case(sizes=[dict(G=4, M=32, N=64), dict(G=3, M=20, N=40), dict(G=2, M=1, N=8)], targets=EVERY,
      inputs=lambda rng, G, M, N: [Addresses(3), Addresses(4, range(G)[::-1]), integers(rng, G, dtype=np.int32, lo=0, hi=G),
                                   floats(rng, G, M, N, dtype=np.float16)],
      reference=lambda x, G, M, N: [np.stack([x[3][x[2][G - 1 - g]] for g in range(G)])])
def copied_between_addresses(G, M, N):
    """Tiles, from a tensor at one address to one at another; an index of the table is read from memory."""
    @T.prim_func
    def kernel(source: T.Tensor((G,), T.ptr), target: T.Tensor((G,), T.ptr), which: T.Tensor((G,), "int32"),
               A: T.Tensor((G, M, N), "float16"), B: T.Tensor((G, M, N), "float16")):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 16), G, threads=64) as (bx, by, bz):
            tile = T.alloc_shared((16, 32), "float16")
            x = T.make_tensor(source[which[bz]], (M, N), "float16")
            y = T.make_tensor(target[bz], (M, N), "float16")
            T.copy(x[by * 16, bx * 32], tile)
            T.copy(tile, y[by * 16, bx * 32])
    return kernel


@case(sizes=[dict(G=2, M=64, N=64, K=64, stages=2), dict(G=3, M=33, N=40, K=72, stages=3), dict(G=1, M=16, N=32, K=32, stages=1)],
      targets=EVERY, terms=lambda K, **_: K,
      inputs=lambda rng, G, M, N, K, stages: [Addresses(3), Addresses(4), Addresses(5), floats(rng, G, M, K, dtype=np.float16),
                                              floats(rng, G, K, N, dtype=np.float16)],
      reference=lambda x, **_: [np.asarray(x[3], np.float64) @ np.asarray(x[4], np.float64)])
def grouped_matmul_at_addresses(G, M, N, K, stages):
    """One matmul per entry of three tables, pipelined."""
    @T.prim_func
    def kernel(a_table: T.Tensor((G,), T.ptr), b_table: T.Tensor((G,), T.ptr), c_table: T.Tensor((G,), T.ptr),
               A: T.Tensor((G, M, K), "float16"), B: T.Tensor((G, K, N), "float16"), C: T.Tensor((G, M, N), "float32")):
        with T.Kernel(G * T.ceildiv(M, 32), T.ceildiv(N, 32), threads=128) as (bx, by):
            a_s = T.alloc_shared((32, 32), "float16")
            b_s = T.alloc_shared((32, 32), "float16")
            c = T.alloc_fragment((32, 32), "float32")
            group = T.alloc_var("int32")
            group = bx // T.ceildiv(M, 32)
            m = bx % T.ceildiv(M, 32) * 32
            a = T.make_tensor(a_table[group], (M, K), "float16")
            b = T.make_tensor(b_table[group], (K, N), "float16")
            out = T.make_tensor(c_table[group], (M, N), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=stages):
                T.copy(a[m, k * 32], a_s)
                T.copy(b[k * 32, by * 32], b_s)
                T.gemm(a_s, b_s, c)
            T.copy(c, out[m, by * 32])
    return kernel


@case(sizes=[dict(G=4, N=64), dict(G=5, N=40), dict(G=1, N=4)], targets=EVERY, terms=lambda G, **_: G,
      inputs=lambda rng, G, N: [Addresses(1), floats(rng, G, N)],
      reference=lambda x, G, N: [np.asarray(x[1], np.float64).sum(axis=0)])
def summed_at_addresses(G, N):
    """A loop declares a tensor in each iteration."""
    @T.prim_func
    def kernel(table: T.Tensor((G,), T.ptr), A: T.Tensor((G, N), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 32), threads=32) as bx:
            part = T.alloc_fragment((32,), "float32")
            staged = T.alloc_shared((32,), "float32")
            T.clear(part)
            for g in T.Pipelined(G, num_stages=2):
                row = T.make_tensor(table[g], (N,), "float32")
                T.copy(row[bx * 32], staged)
                for i in T.Parallel(32):
                    part[i] += staged[i]
            T.copy(part, B[bx * 32])
    return kernel


@case(sizes=[dict(G=2, N=64), dict(G=3, N=20), dict(G=1, N=4)], targets=EVERY,
      inputs=lambda rng, G, N: [Addresses(2, [0]),
                                integers(rng, G, N, lo=0, hi=9)],
      reference=lambda x, G, N: [np.concatenate([x[1].sum(axis=0), np.zeros(N)]).astype(np.int32)])
def counted_at_an_address(G, N):
    """Every block adds to the same tensor, which each finds in its entry of the table; strides leave gaps."""
    @T.prim_func
    def kernel(table: T.Tensor((1,), T.ptr), A: T.Tensor((G, N), "int32"), B: T.Tensor((2 * N,), "int32")):
        with T.Kernel(1, threads=64) as bx:
            sums = T.make_tensor(table[bx], (2, N), "int32", strides=(N, 1))
            for j, i in T.Parallel(2, N):
                sums[j, i] = 0
            for g in T.serial(G):
                for i in T.Parallel(N):
                    T.atomic_add(sums[0, i], A[g, i])
    return kernel


@case(sizes=[dict(N=64), dict(N=100), dict(N=4)], targets=EVERY,
      inputs=lambda rng, N: [Addresses(1, [0]), floats(rng, 1, N)],
      reference=lambda x, N: [np.asarray(x[1][0], np.float64) + 1])
def dynamic_at_an_address(N):
    """An extent of the call, and an address that the kernel adds to."""
    n = T.dynamic("n")

    @T.prim_func
    def kernel(table: T.Tensor((1,), T.ptr), A: T.Tensor((1, n), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 32), threads=32) as bx:
            row = T.make_tensor_from_addr(table[0] + 0, (n,), "float32")
            for i in T.serial(32):
                if bx * 32 + i < n:
                    B[bx * 32 + i] = row[bx * 32 + i] + 1
    return kernel


@case(sizes=[dict(G=4, N=64), dict(G=3, N=40), dict(G=1, N=4)], targets=("sm_90a", "mp_31"),
      inputs=lambda rng, G, N: [Addresses(2), Addresses(3), floats(rng, G, N)],
      reference=lambda x, G, N: [np.asarray(x[2], np.float64) * 2])
def addresses_of_two_groups(G, N):
    """Both groups of warps read a tensor that is declared before them; one declares another."""
    @T.prim_func
    def kernel(source: T.Tensor((G,), T.ptr), target: T.Tensor((G,), T.ptr), A: T.Tensor((G, N), "float32"), B: T.Tensor((G, N), "float32")):
        with T.Kernel(G, threads=256) as bx:
            staged = T.alloc_shared((N,), "float32")
            filled = T.alloc_barrier(128)
            x = T.make_tensor(source[bx], (N // 4, 4), "float32")
            row = T.view(x, (N,), "float32")
            with T.ws(0):
                for i in T.Parallel(N):
                    staged[i] = row[i]
                T.barrier_arrive(filled)
            with T.ws(1):
                y = T.make_tensor(target[bx], (N,), "float32")
                T.barrier_wait(filled, 0)
                for i in T.Parallel(N):
                    y[i] = staged[i] + x[i // 4, i % 4]
    return kernel
