# SPDX-License-Identifier: Apache-2.0
"""The part of Triton's language that random programs use, in NumPy: one program at a time."""

import numpy as np


class Pointer:
    def __init__(self, array, offsets=0):
        self.array, self.offsets = array, offsets

    def __add__(self, other):
        return Pointer(self.array, self.offsets + other)


def block(value):
    return np.asarray(value)


class Language:
    float32, float16, int32, constexpr = np.float32, np.float16, np.int32, object

    def __init__(self, pid):
        self.pid = pid

    def program_id(self, axis):
        return block(np.int32(self.pid))

    def arange(self, first, end):
        return block(np.arange(first, end, dtype="int32"))

    def load(self, pointer, mask=None, other=0):
        offsets, mask = np.broadcast_arrays(pointer.offsets, True if mask is None else mask)
        inside = np.where(mask, offsets, 0)
        return block(np.where(mask, pointer.array[inside], np.asarray(other, pointer.array.dtype)))

    def store(self, pointer, value, mask=True):
        offsets, value, mask = np.broadcast_arrays(pointer.offsets, value, mask)
        pointer.array[offsets[mask]] = value[mask].astype(pointer.array.dtype)

    def where(self, condition, x, y):
        x, y = (np.asarray(v, "float32") if isinstance(v, float) else v for v in (x, y))
        return block(np.where(condition, x, y))

    def cast(self, x, dtype):
        return np.asarray(x).astype(dtype)

    def dot(self, a, b):
        return block(np.asarray(a) @ np.asarray(b))

    def trans(self, x):
        return block(np.ascontiguousarray(np.asarray(x).T))

    def reshape(self, x, shape):
        return block(np.asarray(x).reshape(shape))

    def broadcast_to(self, x, shape):
        return block(np.broadcast_to(x, shape))

    def flip(self, x, axis):
        return block(np.flip(x, axis))

    def cumsum(self, x, axis):
        return block(np.cumsum(np.asarray(x), axis, dtype="float32"))

    def xor_sum(self, x, axis):
        return block(np.bitwise_xor.reduce(np.asarray(x), axis))

    def sort(self, x):
        return np.sort(x, -1)

    def argmax(self, x, axis):
        return np.argmax(x, axis).astype("int32")

    def argmin(self, x, axis):
        return np.argmin(x, axis).astype("int32")

    def join(self, a, b):
        return np.stack([a, b], -1)

    def split(self, x):
        return x[..., 0], x[..., 1]

    def sigmoid(self, x):
        return block(1 / (1 + np.exp(-np.asarray(x))))


def _atomic(function):
    return lambda self, pointer, value: function.at(pointer.array, *np.broadcast_arrays(pointer.offsets, value))


def _reduction(function):
    return lambda self, x, axis: block(function(np.asarray(x), axis=axis))


def _elementwise(function):
    return lambda self, *values: block(function(*(np.asarray(v, "float32") if isinstance(v, float) else np.asarray(v) for v in values)))


for _name, _function in {"sum": lambda x, axis: x.sum(axis, dtype=x.dtype), "max": np.max, "min": np.min}.items():
    setattr(Language, _name, _reduction(_function))
for _name, _function in {"add": np.add, "max": np.maximum, "min": np.minimum, "or": np.bitwise_or, "and": np.bitwise_and,
                         "xor": np.bitwise_xor}.items():
    setattr(Language, "atomic_" + _name, _atomic(_function))
for _name in ("maximum", "minimum", "exp", "abs", "sqrt"):
    setattr(Language, _name, _elementwise(getattr(np, _name)))
