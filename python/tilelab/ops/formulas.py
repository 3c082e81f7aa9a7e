# SPDX-License-Identifier: Apache-2.0
"""Formulas on values in the tile language that several operators share. As in NumPy and PyTorch, a NaN operand gives NaN: T.max and T.min
ignore NaN, so that a model which diverges would look healthy."""

from .. import language as T
from . import arrays


def larger(x, y):
    """max(x, y)"""
    return T.if_then_else((x > y) | (x != x), x, y)


def smaller(x, y):
    """min(x, y)"""
    return T.if_then_else((x < y) | (x != x), x, y)


def logistic(x):
    """1 / (1 + exp(-x)), of float32 by the hardware's reciprocal; one below the least normal number may be 0."""
    return T.fast_rcp(1 + T.exp(-x))


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
