# SPDX-License-Identifier: Apache-2.0
"""Remaps: which element of the operand an element of the result is. Indices are texts of a tile program."""

import math


def is_number(text):
    return text.lstrip("-").isdigit()


def add(a, b):
    if is_number(a) and is_number(b):
        return str(int(a) + int(b))
    return b if a == "0" else a if b == "0" else f"({a} + {b})"


def mul(a, b):
    if is_number(a) and is_number(b):
        return str(int(a) * int(b))
    return "0" if "0" in (a, b) else b if a == "1" else a if b == "1" else f"({a} * {b})"


def div(a, n):
    if n == 1 or is_number(a):
        return a if n == 1 else str(int(a) // n)
    return f"({a} // {n})"


def mod(a, n):
    if n == 1 or is_number(a):
        return "0" if n == 1 else str(int(a) % n)
    return f"({a} % {n})"


def aligned(index, shape):
    """The index into an operand that is broadcast from the right."""
    index = index[len(index) - len(shape):]
    return tuple("0" if extent == 1 else i for i, extent in zip(index, shape))


def _broadcast(index, op, source):
    return aligned(index, source)


def _permute(index, op, source):
    out = [None] * len(source)
    for axis, i in zip(op.attrs["order"], index):
        out[axis] = i
    return tuple(out)


def _groups(one, other):
    """Pairs of neighbouring dimensions of two shapes that have the same number of elements."""
    one, other = list(enumerate(one)), list(enumerate(other))
    while one or other:
        left, right = one[:1], other[:1]
        del one[:1], other[:1]
        while math.prod(e for _, e in left) != math.prod(e for _, e in right):
            small, rest = (left, one) if math.prod(e for _, e in left) < math.prod(e for _, e in right) else (right, other)
            small.append(rest.pop(0))
        yield [i for i, _ in left], [i for i, _ in right]


def _reshape(index, op, source):
    """Dimension by dimension where both shapes agree; otherwise by the linear index of a group of dimensions."""
    out = ["0"] * len(source)
    for mine, theirs in _groups(op.shape, source):
        real = [a for a in mine if op.shape[a] != 1]
        wanted = [a for a in theirs if source[a] != 1]
        if len(real) == len(wanted) == 1:
            out[wanted[0]] = index[real[0]]
            continue
        linear = "0"
        for axis in mine:
            linear = add(mul(linear, str(op.shape[axis])), index[axis] if op.shape[axis] != 1 else "0")
        below = 1
        for axis in reversed(wanted):
            upper = div(linear, below)
            out[axis] = upper if axis == wanted[0] else mod(upper, source[axis])
            below *= source[axis]
    return tuple(out)


def _along(axis, index, new):
    return tuple(new if a == axis else i for a, i in enumerate(index))


def _flip(index, op, source):
    axis = op.attrs["axis"]
    return _along(axis, index, f"({source[axis] - 1} - {index[axis]})")


def _shift(index, op, source):
    """Element i is element i - by, or the first one."""
    axis, by = op.attrs["axis"], op.attrs["by"]
    return _along(axis, index, f"(_T.max({index[axis]} - {by}, 0))")


def _exchange(index, op, source):
    """Element i is element i ^ by."""
    axis, by = op.attrs["axis"], op.attrs["by"]
    return _along(axis, index, f"({index[axis]} ^ {by})")


def _part(index, op, source):
    """Elements from a first one on, along one dimension; clamped where the result is longer."""
    axis, first = op.attrs["axis"], op.attrs["first"]
    i = add(index[axis], str(first))
    if first < 0:
        i = f"_T.max({i}, 0)"
    if op.shape[axis] + first > source[axis]:
        i = f"_T.min({i}, {source[axis] - 1})"
    return _along(axis, index, i)


TABLE = {"broadcast": _broadcast, "permute": _permute, "reshape": _reshape, "flip": _flip, "shift": _shift, "exchange": _exchange,
         "part": _part}


def source_index(op, index):
    """The index into the operand of a remap."""
    return TABLE[op.attrs["how"]](index, op, op.args[0].shape)


def keeps_order(op):
    """Whether an element of the result is in the same place of the operand, or is its only element along a dimension."""
    if op.attrs["how"] == "broadcast":
        return True
    if op.attrs["how"] != "reshape":
        return False
    return [e for e in op.shape if e != 1] == [e for e in op.args[0].shape if e != 1]
