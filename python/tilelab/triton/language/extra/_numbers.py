# SPDX-License-Identifier: Apache-2.0
"""Functions of libdevice on the parts of numbers: exponents, neighbours, remainders, bits of integers."""

from ... import language as tl
from ..._functions import Builtin
from ..._functions.library import library, plain

# --- exponents and neighbours -------------------------------------------------------------------------------------------


def _power_of_two(n):
    """2.0 ** n in float64, for n from -1022 to 1023."""
    return ((n + 1023).to(tl.int64) << 52).to(tl.float64, bitcast=True)


@library
def ldexp(x, n):
    """x * 2 ** n, in three steps, of which each factor is a float64."""
    first = tl.clamp(n, -1000, 1000)
    second = tl.clamp(n - first, -1000, 1000)
    third = tl.clamp(n - first - second, -1000, 1000)
    return x * _power_of_two(first) * _power_of_two(second) * _power_of_two(third)


@library
def scalbn(x, n):
    """x * 2 ** n."""
    return ldexp(x, n)


def _exponent(x):
    tiny = tl.abs(x) < 2.0 ** -1022
    bits = tl.where(tiny, x * 2.0 ** 54, x).to(tl.int64, bitcast=True)
    return ((bits >> 52) & 2047).to(tl.int32) - tl.where(tiny, 1077, 1023)


@library
def ilogb(x):
    """The exponent of x as an int32; the least one of 0 and NaN, the largest one of infinity."""
    made = tl.where(tl.abs(x) == float("inf"), 0x7FFFFFFF, _exponent(x))
    return tl.where((x == 0.0) | (x != x), -0x80000000, made)


@library
def logb(x):
    """The exponent of x as a float."""
    made = tl.where(x == 0.0, float("-inf"), _exponent(x).to(tl.float64))
    return tl.where((x != x) | (tl.abs(x) == float("inf")), tl.abs(x), made)


@plain
def nextafter(x, y):
    """The float after x in the direction of y."""
    same: tl.constexpr = tl.int64 if x.dtype.primitive_bitwidth == 64 else tl.int32
    bits = x.to(same, bitcast=True)
    bits += tl.where((x < y) == (x > 0.0), 1, -1).to(same)
    tiny = tl.where(x < y, 1, -1 << (x.dtype.primitive_bitwidth - 1) | 1).to(same)
    made = tl.where(x == 0.0, tiny, bits).to(x.dtype, bitcast=True)
    return tl.where(x == y, y, tl.where((x != x) | (y != y), x + y, made))


# --- remainders and limits ----------------------------------------------------------------------------------------------

@library
def remainder(x, y):
    """x - n y, where n is the integer nearest to x / y, the even one of two."""
    size, by = tl.abs(x), tl.abs(y)
    rest = tl.where(by < 2.0 ** 1023, tl.extra.libdevice.fmod(size, by + by), size)
    less = rest - by
    rest = tl.where(rest + rest > by, tl.where(less + less >= by, less - by, less), rest)
    rest = tl.where((by == 0.0) | (y != y) | (size == float("inf")), float("nan"), rest)
    return tl.extra.libdevice.copysign(1.0, x) * rest


@library
def fdim(x, y):
    """x - y where it is positive, else 0."""
    return tl.where(x <= y, 0.0, x - y)


@plain
def saturatef(x):
    """x within [0, 1]; 0 of NaN."""
    return tl.where(x > 0.0, tl.minimum(x, 1.0), 0.0)


@library
def llround(x):
    """The nearest int64, of two the one away from 0."""
    return tl.extra.libdevice.round(x).to(tl.int64)


# --- integers -------------------------------------------------------------------------------------------------------------

@plain
def brev(x):
    """The bits in reverse order."""
    bits: tl.constexpr = x.dtype.primitive_bitwidth
    word = x.to(tl.uint64 if bits == 64 else tl.uint32, bitcast=True)
    made = word & 1
    for i in tl.static_range(1, bits):
        made = (made << 1) | ((word >> i) & 1)
    return made.to(x.dtype, bitcast=True)


@plain
def ffs(x):
    """The position of the lowest bit that is set, from 1 on; 0 without one."""
    return tl.where(x == 0, 0, tl.extra.libdevice.popc((x & -x) - 1) + 1)


@plain
def byte_perm(x, y, s):
    """Four of the eight bytes of x and y, chosen by the lowest three bits of each half byte of s."""
    both = (y.to(tl.uint32).to(tl.uint64) << 32) | x.to(tl.uint32).to(tl.uint64)
    made = (both >> ((s & 7) * 8).to(tl.uint64)) & 255
    for i in tl.static_range(1, 4):
        made |= ((both >> (((s >> (4 * i)) & 7) * 8).to(tl.uint64)) & 255) << (8 * i)
    return made.to(tl.uint32).to(x.dtype, bitcast=True)


@plain
def hadd(x, y):
    """(x + y) / 2, rounded down, without overflow."""
    return (x & y) + ((x ^ y) >> 1)


@plain
def rhadd(x, y):
    """(x + y + 1) / 2, rounded down, without overflow."""
    return (x | y) - ((x ^ y) >> 1)


@plain
def mul24(x, y):
    """The product of the lowest 24 bits."""
    return ((x << 8) >> 8) * ((y << 8) >> 8)


@plain
def sad(x, y, z):
    """|x - y| + z."""
    return tl.where(x > y, x - y, y - x) + z


__all__ = [name for name, one in globals().items() if isinstance(one, Builtin)]
