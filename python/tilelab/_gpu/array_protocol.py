# SPDX-License-Identifier: Apache-2.0
"""What programs expect of an array, for arrays in GPU memory: indexing, arithmetic, conversions, printing, DLPack."""

import math
import operator

from .._compiler.narrow_floats import computed, converted
from .._compiler.dtypes import dtype as language_dtype
from .._compiler.dtypes import marked, name_of

binary = {}  # names of operators ("add") and functions of two arrays that run on the GPU; tilelab.ops adds its own


def _of_numpy(function, *arrays):
    """The result of a NumPy function of copies in host memory, on the first array's GPU."""
    made = computed(function, [a.numpy() if isinstance(a, DeviceArrayProtocol) else a for a in arrays])
    return next(a for a in arrays if isinstance(a, DeviceArrayProtocol))._copied(made)


def _is_float(dtype):
    return "float" in (name_of(dtype) or "")


def _arithmetic(name, function, reverse=False):
    """The method of an arithmetic operator: a kernel for floats of equal dtypes, otherwise NumPy on copies."""
    def method(self, other):
        if isinstance(other, (int, float)) and name in binary and _is_float(self.dtype):
            import numpy

            other = self._copied(converted(numpy.full((1,) * len(self.shape), other, "float64"), self.dtype))
        pair = (other, self) if reverse else (self, other)
        same = isinstance(other, DeviceArrayProtocol) and other.gpu == self.gpu and other.dtype == self.dtype
        if same and name in binary and _is_float(self.dtype):
            return binary[name](*pair)
        if not hasattr(other, "shape") and not isinstance(other, (int, float, bool)):
            return NotImplemented
        return _of_numpy(function, *pair)

    return method


class DeviceArrayProtocol:
    """A mixin: shape, dtype, gpu, numpy(), _part() and _copied() come from the class of the array."""

    __array_priority__ = 1000  # array + DeviceArray asks this class

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        return math.prod(self.shape)

    def __len__(self):
        if not self.shape:
            raise TypeError("an array without dimensions has no length")
        return self.shape[0]

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index):
        """A view where `index` is leading integers and one slice without a step, otherwise a copy of the selected elements."""
        parts = index if isinstance(index, tuple) else (index,)
        shape, offset, rest = list(self.shape), 0, self.dtype.itemsize * self.size
        for at, part in enumerate(parts):
            extent = shape[0] if shape and at < len(self.shape) else None
            if extent is None:
                raise IndexError(f"too many indices for an array of {self.ndim} dimensions")
            if hasattr(part, "__index__") and not isinstance(part, bool):
                one = operator.index(part)
                if not -extent <= one < extent:
                    raise IndexError(f"index {one} is out of bounds for an extent of {extent}")
                rest //= max(extent, 1)
                offset += one % extent * rest
                shape = shape[1:]
                continue
            if isinstance(part, slice) and part.step in (None, 1) and at == len(parts) - 1:
                first, last, _ = part.indices(extent)
                return self._part((max(last - first, 0), *shape[1:]), offset + first * (rest // max(extent, 1)))
            return _of_numpy(lambda array: array[index], self)
        return self._part(shape, offset)

    def reshape(self, *shape):
        shape = list(shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape)
        if -1 in shape:
            known = -math.prod(shape)
            shape[shape.index(-1)] = self.size // known if known else 0
        if math.prod(shape) != self.size:
            raise ValueError(f"an array of shape {self.shape} has no shape {tuple(shape)}: {self.size} elements, not {math.prod(shape)}")
        return self._part(shape, 0)

    def astype(self, dtype):
        return self._copied(converted(self.numpy(), language_dtype(dtype).as_numpy()))

    def swapaxes(self, a, b):
        return _of_numpy(lambda array: array.swapaxes(a, b), self)

    def cpu(self):
        return self.numpy()

    def item(self):
        return self.tolist() if self.shape == () else self.numpy().item()

    def tolist(self):
        return self._shown().tolist()

    def _shown(self):
        """A copy that NumPy can print."""
        return computed(lambda array: array.astype("float64"), [self.numpy()]) if marked(self.dtype) else self.numpy()

    def __float__(self):
        return float(self.item())

    def __int__(self):
        return int(self.item())

    def __bool__(self):
        return bool(self.numpy())

    def __neg__(self):
        return _of_numpy(operator.neg, self)

    def __matmul__(self, other):
        return binary["gemm"](self, other) if "gemm" in binary else _of_numpy(operator.matmul, self, other)

    def __str__(self):
        return f"{self._shown()} on {self.device}"

    # --- DLPack ------------------------------------------------------------------------------------

    def __dlpack_device__(self):
        from . import dlpack

        return dlpack.device_type(self.gpu), self.gpu.number

    def __dlpack__(self, stream=None, **options):
        from . import dlpack

        return dlpack.pack(self, stream)


for _name, _symbol, _function in (("add", "add", operator.add), ("sub", "sub", operator.sub), ("mul", "mul", operator.mul),
                                  ("div", "truediv", operator.truediv), ("pow", "pow", operator.pow)):
    setattr(DeviceArrayProtocol, f"__{_symbol}__", _arithmetic(_name if _name != "pow" else "", _function))
    setattr(DeviceArrayProtocol, f"__r{_symbol}__", _arithmetic(_name if _name != "pow" else "", _function, True))
for _symbol in ("lt", "le", "gt", "ge"):
    setattr(DeviceArrayProtocol, f"__{_symbol}__", _arithmetic("", getattr(operator, _symbol)))
