# SPDX-License-Identifier: Apache-2.0
"""NumPy's arrays of bfloat16 and float8: those of ml_dtypes where it is installed, else their bytes, with a mark in the dtype (dtypes.marked).
They are computed in float32."""

import functools

from .dtypes import marked

_FLOAT8 = {"float8_e4m3fn": (3, 7, 0x7E), "float8_e5m2": (2, 15, 0x7B)}  # bits of the fraction, bias, code of the largest number


def is_narrow(dtype):
    """Whether a NumPy dtype is bfloat16 or float8, with a mark or of ml_dtypes."""
    return marked(dtype) is not None or dtype.name == "bfloat16" or dtype.name in _FLOAT8


def converted(array, dtype):
    """The array in a NumPy dtype, either of which may be marked: rounded to nearest, ties to even; float8 saturates."""
    import numpy

    name, wanted = marked(array.dtype), marked(dtype)
    if name and name == wanted:
        return array
    if name == "bfloat16":
        array = numpy.left_shift(array.view("uint16"), 16, dtype="uint32").view("float32")
    elif name:
        array = _values(name)[array.view("uint8")]
    if not wanted:
        if dtype.name in _FLOAT8 and array.dtype != dtype:  # of ml_dtypes, which do not saturate
            largest = float(_values(dtype.name)[_FLOAT8[dtype.name][2]])
            array = numpy.clip(array.astype("float32"), -largest, largest)
        return array.astype(dtype, copy=False)
    codes = _bfloat16_codes if wanted == "bfloat16" else functools.partial(_float8_codes, wanted)
    return codes(numpy.asarray(array, "float32")).view(dtype)


def _bfloat16_codes(array):
    import numpy

    bits = array.view("uint32")
    rounded = numpy.asarray(bits + (0x7FFF + (bits >> 16 & 1)) >> 16, "uint16")
    return numpy.asarray(numpy.where(bits & 0x7FFFFFFF > 0x7F800000, numpy.uint16(0x7FC0), rounded))


def _float8_codes(name, array):
    """The number of midpoints between adjacent numbers below |x|, with the sign. A tie takes the even code."""
    import numpy

    last = _FLOAT8[name][2]
    numbers = _values(name)[:last + 1].astype("float64")
    middles, sizes = (numbers[1:] + numbers[:-1]) / 2, numpy.abs(array).astype("float64")
    low, high = (numpy.searchsorted(middles, sizes, side) for side in ("left", "right"))
    codes = numpy.where(numpy.isnan(array), 0x7F, numpy.where(low % 2, high, low))
    return numpy.asarray(codes | numpy.signbit(array) * 0x80, "uint8")


@functools.lru_cache
def _values(name):
    """The numbers of all 256 codes, in float32."""
    import numpy

    fraction, bias, last = _FLOAT8[name]
    codes = numpy.arange(128)
    exponents, fractions = codes >> fraction, (codes & (1 << fraction) - 1) / (1 << fraction)
    found = numpy.where(exponents, 1 + fractions, fractions) * 2.0 ** (numpy.maximum(exponents, 1) - bias)
    found[last + 1:] = numpy.nan
    if name == "float8_e5m2":
        found[last + 1] = numpy.inf
    return numpy.concatenate([found, -found]).astype("float32")


def computed(function, values, keywords=None):
    """The result of a NumPy function, which gets copies in float32 of all arrays of bfloat16 or float8. Results in float32 are narrow again
    where no argument is an array of wider floats. An array whose copy the function writes gets the new values."""
    import numpy

    dtypes, passed = [], []  # dtypes of all arrays; (array, what the function gets)

    def wide(value):
        if isinstance(value, (list, tuple)):
            return _like(value, map(wide, value))
        if isinstance(value, numpy.ndarray):
            dtypes.append(value.dtype)
            plain = value.view(numpy.ndarray)
            passed.append((value, converted(plain, numpy.dtype("float32")) if is_narrow(value.dtype) else plain))
            return passed[-1][1]
        return value

    def narrow(value):
        if isinstance(value, (list, tuple)):
            return _like(value, map(narrow, value))
        for array, given in passed:
            if value is given:
                return array
        if isinstance(value, (numpy.ndarray, numpy.float32)) and value.dtype == "float32" and found and all(one.kind != "f" for one in dtypes):
            return converted(numpy.asarray(value), found[0])
        return value

    made = function(*map(wide, values), **{name: wide(value) for name, value in (keywords or {}).items()})
    found = [dtype for dtype in dtypes if is_narrow(dtype)]
    for array, given in passed:
        if is_narrow(array.dtype) and not numpy.array_equal(given.view("uint32"), converted(array.view(numpy.ndarray), given.dtype).view("uint32")):
            array.view(numpy.ndarray)[...] = converted(given, array.dtype)
    return narrow(made)


def _like(value, elements):
    """A list, tuple or named tuple with other elements."""
    return getattr(type(value), "_make", type(value))(elements)
