# SPDX-License-Identifier: Apache-2.0
"""Formulas on values in the tile language that several operators share. As in NumPy and PyTorch, a NaN operand gives NaN: T.max and T.min
ignore NaN, so that a model which diverges would look healthy."""

import math

from .. import language as T
from . import arrays

LOG2E = 1 / math.log(2)


def larger(x, y):
    """max(x, y)"""
    return T.if_then_else((x > y) | (x != x), x, y)


def smaller(x, y):
    """min(x, y)"""
    return T.if_then_else((x < y) | (x != x), x, y)


def logistic(x):
    """1 / (1 + exp(-x)), of float32 by the hardware's reciprocal; one below the least normal number may be 0."""
    return T.fast_rcp(1 + T.exp(-x))


def log2_of_narrow(x):
    """log2(x) for a float of 16 bits, x >= 0, with a relative error of 2^-18: the hardware's logarithm, whose absolute error is 2^-22, and near 1
    the series of log(1 + d)."""
    d = x - 1
    series = d * T.fma(d, T.fma(d, T.fma(d, T.fma(d, 1 / 5, -1 / 4), 1 / 3), -1 / 2), 1)
    return T.if_then_else(T.abs(d) < 1 / 16, series * LOG2E, T.__log2(x))


def tanh_of_narrow(x):
    """tanh(x) for a float of 16 bits, with a relative error of 2^-16: 1 - 2 / (exp(2 x) + 1), and near 0, where that cancels, the series."""
    square = x * x
    series = x * T.fma(square, T.fma(square, 2 / 15, -1 / 3), 1)
    return T.if_then_else(T.abs(x) < 1 / 4, series, 1 - 2 * T.fast_rcp(T.__exp(2 * x) + 1))


def pow_of_narrow(x, y):
    """x to the power of y for floats of 16 bits, with the special cases of C's pow (C17, F.10.4.4)."""
    power = T.exp2(y * log2_of_narrow(T.abs(x)))
    odd = (T.floor(y) == y) & (T.floor(y / 2) != y / 2)
    negative = T.if_then_else((T.floor(y) == y) | (x == 0) | T.isinf(x), T.if_then_else(odd, -power, power), math.nan)
    signed = T.if_then_else(T.reinterpret(x, "uint32") >> 31 == 1, negative, power)
    return T.if_then_else((y == 0) | (x == 1) | ((x == -1) & T.isinf(y)), 1.0, signed)


def exp_minus_one(x):
    """exp(x) - 1; near 0, where the difference cancels, by its series x (1 + x / 2 (1 + x / 3 (...)))."""
    terms = 8 if str(x.dtype) == "float64" else 6
    series = 1 + x * (1 / terms)
    for n in range(terms - 1, 1, -1):
        series = 1 + x * (1 / n) * series
    return T.if_then_else(T.abs(x) < 1 / 16, x * series, T.exp(x) - 1)


def ordered(x, dtype, descending=False):
    """A number's key, unsigned, in the order of the values or the reverse: equal for zeros of both signs, the largest one for NaN. No float
    has the key 0."""
    size = arrays.bytes_of(dtype) * 8
    sign, full, floats = 1 << (size - 1), T.max_value(f"uint{size}"), "float" in dtype
    bits = T.reinterpret(x + 0 if floats else x, f"uint{size}")
    key = T.if_then_else(bits >= sign, ~bits, bits | sign) if floats else bits if dtype[0] == "u" else bits ^ sign
    key = full ^ key if descending else key
    return T.if_then_else(x != x, full, key) if floats else key
