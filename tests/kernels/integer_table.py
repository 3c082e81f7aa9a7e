# SPDX-License-Identifier: Apache-2.0
"""Every integer operation of the language x every integer dtype x extreme values, against Python's integers."""
import itertools

import numpy as np
import tilelang.language as T

from case import case

DTYPES = [f"{sign}int{bits}" for bits in (32, 8, 16, 64) for sign in ("", "u")]


def truncated(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def raised(a, b):
    """a / b, rounded up."""
    return -(-a // b)


def pattern(a, bits):
    return a & ((1 << bits) - 1)


# (in a kernel, in Python, for which b it is defined)
ANY, DIVISORS, SHIFTS = "any", "divisors", "shifts"
TABLE = [
    (lambda a, b, dtype: a + b, lambda a, b, bits: a + b, ANY),
    (lambda a, b, dtype: a - b, lambda a, b, bits: a - b, ANY),
    (lambda a, b, dtype: a * b, lambda a, b, bits: a * b, ANY),
    (lambda a, b, dtype: -a, lambda a, b, bits: -a, ANY),
    (lambda a, b, dtype: ~a, lambda a, b, bits: ~a, ANY),
    (lambda a, b, dtype: T.abs(a), lambda a, b, bits: abs(a), ANY),
    (lambda a, b, dtype: a & b, lambda a, b, bits: a & b, ANY),
    (lambda a, b, dtype: a | b, lambda a, b, bits: a | b, ANY),
    (lambda a, b, dtype: a ^ b, lambda a, b, bits: a ^ b, ANY),
    (lambda a, b, dtype: T.min(a, b), lambda a, b, bits: min(a, b), ANY),
    (lambda a, b, dtype: T.max(a, b), lambda a, b, bits: max(a, b), ANY),
    (lambda a, b, dtype: T.cast(a < b, dtype), lambda a, b, bits: a < b, ANY),
    (lambda a, b, dtype: T.cast(a >= b, dtype), lambda a, b, bits: a >= b, ANY),
    (lambda a, b, dtype: T.cast(a == b, dtype), lambda a, b, bits: a == b, ANY),
    (lambda a, b, dtype: T.if_then_else(a > b, a, b), lambda a, b, bits: max(a, b), ANY),
    (lambda a, b, dtype: T.cast(T.popcount(a), dtype), lambda a, b, bits: pattern(a, bits).bit_count(), ANY),
    (lambda a, b, dtype: T.cast(T.clz(a), dtype), lambda a, b, bits: bits - pattern(a, bits).bit_length(), ANY),
    (lambda a, b, dtype: a // b, lambda a, b, bits: a // b, DIVISORS),
    (lambda a, b, dtype: a % b, lambda a, b, bits: a % b, DIVISORS),
    (lambda a, b, dtype: T.truncdiv(a, b), lambda a, b, bits: truncated(a, b), DIVISORS),
    (lambda a, b, dtype: T.truncmod(a, b), lambda a, b, bits: a - truncated(a, b) * b, DIVISORS),
    (lambda a, b, dtype: T.ceildiv(a, b), lambda a, b, bits: raised(a, b), DIVISORS),
    (lambda a, b, dtype: T.align_up(a, b), lambda a, b, bits: raised(a, b) * b, DIVISORS),
    (lambda a, b, dtype: a // 8, lambda a, b, bits: a // 8, ANY),
    (lambda a, b, dtype: a % 7, lambda a, b, bits: a % 7, ANY),
    (lambda a, b, dtype: T.ceildiv(a, 8), lambda a, b, bits: raised(a, 8), ANY),
    (lambda a, b, dtype: T.ceildiv(a, 7), lambda a, b, bits: raised(a, 7), ANY),
    (lambda a, b, dtype: T.align_up(a, 16), lambda a, b, bits: raised(a, 16) * 16, ANY),
    (lambda a, b, dtype: a << b, lambda a, b, bits: a << b, SHIFTS),
    (lambda a, b, dtype: a >> b, lambda a, b, bits: a >> b, SHIFTS),
]


def pairs(rng, dtype):
    """Extreme values of the dtype with each other, and random ones."""
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    near = {low, low + 1, -3, -1, 0, 1, 2, 5, 8, 31, high // 2 + 1, high - 8, high - 1, high}
    near |= {int(v) for v in rng.integers(low, high, 2, dtype=dtype, endpoint=True)}
    values = np.array(sorted(v for v in near if low <= v <= high), dtype)
    return [np.array(v, dtype) for v in zip(*itertools.product(values, values))]


def computed(inputs, dtype):
    """The table by Python's integers, wrapped to the dtype; 0 where an operation is undefined."""
    bits, unsigned = np.iinfo(dtype).bits, f"uint{np.iinfo(dtype).bits}"
    defined = {ANY: lambda b: True, DIVISORS: lambda b: b != 0, SHIFTS: lambda b: 0 <= b < bits}
    rows = [[pattern(int(known(int(a), int(b), bits)), bits) if defined[kind](int(b)) else 0 for a, b in zip(*inputs)]
            for _, known, kind in TABLE]
    return [np.array(rows, unsigned).view(dtype)]


@case(sizes=[dict(dtype=dtype) for dtype in DTYPES], inputs=pairs, reference=computed, targets=("mp_31", "cpu", "sm_90a"))
def integer_table(dtype):
    N, bits = T.dynamic("N"), np.iinfo(dtype).bits

    @T.prim_func
    def main(A: T.Tensor((N,), dtype), B: T.Tensor((N,), dtype), C: T.Tensor((len(TABLE), N), dtype)):
        with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
            for i in T.Parallel(64):
                if bx * 64 + i < N:
                    a = A[bx * 64 + i]
                    b = B[bx * 64 + i]
                    for row, (operation, _, kind) in enumerate(TABLE):
                        if kind == DIVISORS:
                            C[row, bx * 64 + i] = 0
                            if b != 0:
                                C[row, bx * 64 + i] = operation(a, b, dtype)
                        elif kind == SHIFTS:
                            C[row, bx * 64 + i] = 0
                            if b >= 0:
                                if b < bits:
                                    C[row, bx * 64 + i] = operation(a, b, dtype)
                        else:
                            C[row, bx * 64 + i] = operation(a, b, dtype)
    return main
