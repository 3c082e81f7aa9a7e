# SPDX-License-Identifier: Apache-2.0
"""What stands around the statements of kernels: plain Python functions that they call with values of run time, whose
loops, conditions and names are Python's, and views of tensors in front of T.Kernel."""
import numpy as np
import tilelang.language as T

from case import EVERY, case, floats


def digits(number, sizes):
    """Of a number that counts through a box: its index in each dimension, by repeated division."""
    out = [0] * len(sizes)
    for d in range(len(sizes) - 1, 0, -1):
        out[d] = number % sizes[d]
        number = number // sizes[d]
    out[0] = number
    return out


def place_in(number, sizes, strides):
    """Begins as a Python number and becomes a sum of run time."""
    place = 0
    for digit, stride in zip(digits(number, sizes), strides):
        if stride == 0:
            continue
        place = place + digit * stride
    return place


def to_the_power(x, n):
    """By squaring; `x` and `out` get new values in every turn."""
    out = None
    while n > 0:
        if n & 1:
            out = x if out is None else out * x
        x = x * x
        n >>= 1
    return 1.0 if out is None else out


def first_factor(x, factors):
    for i, factor in enumerate(factors):
        for turn in range(2):
            if turn == 1:
                break
            if factor != 0:
                return x * factor + i
    else:
        x = -x
    return x


def expected(x, sizes, a, b, n):
    index = np.indices(sizes).reshape(len(sizes), -1)
    at, bt = (sum(i * s for i, s in zip(index, strides)) for strides in (a, b))
    return [x[0][at] ** n + (x[1][bt] * 3 + 1) - x[0][at]]


BOXES = [dict(sizes=(4, 5, 6), a=(30, 6, 1), b=(0, 6, 1), n=5), dict(sizes=(7,), a=(1,), b=(0,), n=0),
         dict(sizes=(3, 1, 40), a=(40, 0, 1), b=(0, 7, 2), n=6)]


@case(sizes=BOXES, reference=expected, targets=EVERY, terms=lambda n, **_: n,
      inputs=lambda rng, sizes, **_: [floats(rng, int(np.prod(sizes))) for _ in range(2)])
def offsets_by_python(sizes, a, b, n):
    N = int(np.prod(sizes))

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
            for i in T.Parallel(64):
                flat = bx * 64 + i
                if flat < N:
                    x = A[place_in(flat, sizes, a)]
                    y = B[place_in(flat, sizes, b)]
                    C[flat] = to_the_power(x, n) + first_factor(y, (0, 3, 2)) + first_factor(x, (0, 0))
    return main


@case(sizes=[dict(n=3, h=5, w=8), dict(n=2, h=4, w=32), dict(n=1, h=1, w=4)], targets=EVERY,
      inputs=lambda rng, n, h, w: [floats(rng, n, h, w)],
      reference=lambda x, n, h, w: [x[0] * 3, x[0].reshape(n, h * w) + 1], outputs=(1, 2))
def views_in_front_of_kernels(n, h, w):
    """Tensors under other shapes, named before T.Kernel, in a macro as well; two kernels use them."""
    @T.macro
    def body(A, B, C):
        flat = T.Tensor((n, h * w), "float32", A.data)
        line = T.reshape(flat, (n * h * w,))
        unused = T.view(B, (n * h * w,))  # noqa: F841
        into = T.view(B, (n, h * w))
        with T.Kernel(T.ceildiv(h * w, 32), n, threads=32) as (bx, by):
            tile = T.alloc_shared((1, 32), "float32")
            T.copy(flat[by, bx * 32], tile)
            for i in T.Parallel(32):
                tile[0, i] *= 3.0
            T.copy(tile, into[by, bx * 32])
        with T.Kernel(n, threads=32) as by:
            for i in T.Parallel(h * w):
                C[by, i] = line[by * h * w + i] + 1.0

    @T.prim_func
    def main(A: T.Tensor((n, h, w), "float32"), B: T.Tensor((n, h, w), "float32"),
             C: T.Tensor((n, h * w), "float32")):
        body(A, B, C)
    return main
