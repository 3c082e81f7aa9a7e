# SPDX-License-Identifier: Apache-2.0
"""NumPy's arrays of bfloat16, where ml_dtypes is not installed: two bytes per element, with a mark in the dtype (dtypes.marked). They are
computed in float32."""

from .dtypes import marked


def converted(array, dtype):
    """The array in a NumPy dtype, either of which may be the marked one: rounded to nearest, ties to even."""
    import numpy

    if marked(array.dtype):
        if marked(dtype):
            return array
        array = numpy.left_shift(array.view("uint16"), 16, dtype="uint32").view("float32")
    if not marked(dtype):
        return array.astype(dtype, copy=False)
    bits = numpy.asarray(array, "float32").view("uint32")
    rounded = numpy.asarray(bits + (0x7FFF + (bits >> 16 & 1)) >> 16, "uint16")
    return numpy.asarray(numpy.where(bits & 0x7FFFFFFF > 0x7F800000, numpy.uint16(0x7FC0), rounded)).view(dtype)


def computed(function, values):
    """The result of a NumPy function of arrays and numbers, in float32 where elements are marked. It is marked again where no argument is
    an array of wider floats."""
    import numpy

    arrays = [x for x in values if isinstance(x, numpy.ndarray)]
    found = [x.dtype for x in arrays if marked(x.dtype)]
    if not found:
        return function(*values)
    made = function(*(converted(x.view(numpy.ndarray), numpy.dtype("float32")) if isinstance(x, numpy.ndarray) and marked(x.dtype) else x for x in values))
    if made.dtype == "float32" and all(x.dtype.kind != "f" for x in arrays):
        return converted(numpy.asarray(made), found[0])
    return made
