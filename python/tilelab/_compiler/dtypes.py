# SPDX-License-Identifier: Apache-2.0
"""dtypes of the language: strings with properties."""

import importlib.util

_BITS = {
    "bool": 8, "int4": 4, "int8": 8, "int16": 16, "int32": 32, "int64": 64, "uint4": 4, "uint8": 8, "uint16": 16, "uint32": 32,
    "uint64": 64, "float16": 16, "float32": 32, "float64": 64, "bfloat16": 16, "tfloat32": 32, "float8_e3m4": 8, "float8_e4m3fn": 8,
    "float8_e4m3fnuz": 8, "float8_e4m3b11fnuz": 8, "float8_e5m2": 8, "float8_e5m2fnuz": 8, "float8_e8m0fnu": 8, "float6_e2m3fn": 6,
    "float6_e3m2fn": 6, "float4_e2m1fn": 4, "float4_e2m1_unpacked": 8, "handle": 64,
}
ALIASES = {"short": "int16", "int": "int32", "uint": "uint32", "long": "int64", "half": "float16",
           "float": "float32", "double": "float64", "float8_e4m3": "float8_e4m3fn"}


def meant(value):
    """A "did you mean" hint with the nearest dtype name, or ""."""
    if not isinstance(value, str):
        return ""
    from .. import _core

    near = _core.nearest(value, sorted({*_BITS, *ALIASES}, key=lambda name: (sorted(name) != sorted(value), name)))
    return f"; did you mean {near}?" if near else ""


_MARKED = {"bfloat16": "V2", "float8_e4m3fn": "V1", "float8_e5m2": "V1"}
MARK = "tilelab"  # the key in a NumPy dtype's metadata of the dtype that its bytes have

# Two elements per byte. torch has no dtype for int4, so int8 stands for it.
_PAIRS_OF_TORCH = {"float4_e2m1fn": "float4_e2m1fn_x2", "float4_e2m1fnx2": "float4_e2m1fn_x2", "int4": "int8", "uint4": "uint8"}

_PAIRS_OF_NUMPY = {"float4_e2m1fn": "uint8", "float4_e2m1fnx2": "uint8", "int4": "int8", "uint4": "uint8"}


class dtype(str):
    """A type such as T.float16: equal to its name, and a conversion when a kernel calls it."""

    __slots__ = ()
    symbolic = None  # the class of expressions outside of kernels; symbols.py sets it

    def __new__(cls, value):
        """From a name, or a type of Python, NumPy or torch."""
        if (name := name_of(value)) is None:
            raise TypeError(f"{value!r} is not a dtype{meant(value) or '; such as float16, bfloat16, float32, int32, uint8'}")
        return super().__new__(cls, name)

    @property
    def bits(self):
        base, lanes = _split(self)
        return _BITS[base] * lanes

    @property
    def bytes(self):
        return max(1, self.bits // 8)

    itemsize = bytes

    @property
    def lanes(self):
        return _split(self)[1]

    def as_torch(self):
        """The torch dtype; for a type narrower than a byte, that of its storage."""
        import torch

        found = getattr(torch, _PAIRS_OF_TORCH.get(str(self), in_memory(self)), None)
        if found is None and str(self) in _PAIRS_OF_TORCH:
            found = torch.int8  # before torch 2.8
        if found is None:
            raise TypeError(f"torch {torch.__version__} has no dtype {self}")
        return found

    def as_numpy(self):
        """The NumPy dtype; for a type narrower than a byte, that of its storage. Without ml_dtypes bfloat16 and the usual
        formats of float8 are marked dtypes, with which only tilelab's own tensors compute."""
        import numpy

        name = storage(self)
        try:
            return numpy.dtype(name)
        except TypeError:
            if importlib.util.find_spec("ml_dtypes"):
                import ml_dtypes  # noqa: F401  registers bfloat16 and the float8 dtypes with NumPy

                return numpy.dtype(name)
            if name not in _MARKED:
                raise
            return numpy.dtype(_MARKED[name], metadata={MARK: name})

    def __eq__(self, other):
        """Equal to a name, or to the corresponding dtype of torch or NumPy."""
        if isinstance(other, str) or type(other).__module__.partition(".")[0] not in ("torch", "numpy"):
            return str.__eq__(self, other)
        try:
            return str.__eq__(self, name_of(other))
        except (TypeError, ValueError):
            return NotImplemented

    def __ne__(self, other):
        same = self.__eq__(other)
        return same if same is NotImplemented else not same

    __hash__ = str.__hash__

    def __call__(self, value=None):
        from .errors import NoBuilderError

        if isinstance(value, (bool, int, float, self.symbolic)):
            return value
        if value is None:  # T.int32(): some value of this type
            return self.symbolic(("name", "v", str(self)))
        raise NoBuilderError(f"T.{self}(...) makes values of a kernel; use it inside a kernel")

    def is_float4_e2m1fn(self):
        """Four bits, two elements per byte."""
        return _split(self)[0] == "float4_e2m1fn"

    def is_float4_e2m1_unpacked(self):
        """Four bits, one element per byte."""
        return _split(self)[0] == "float4_e2m1_unpacked"

    def is_float4(self):
        return self.is_float4_e2m1fn() or self.is_float4_e2m1_unpacked()

    def __repr__(self):
        return f"T.{str(self)}"


def storage(name):
    """The NumPy name of the elements of an array of the dtype: bytes if each holds two."""
    return _PAIRS_OF_NUMPY.get(str(name), in_memory(name))


def in_memory(name):
    """The storage dtype: tfloat32 is stored as float32, of which matrix units read the upper 19 bits."""
    return str(name).replace("tfloat32", "float32")


def _split(name):
    base, x, lanes = str(name).rpartition("x")
    if x and base in _BITS and lanes.isdigit():
        return base, int(lanes)
    return str(name), 1


def marked(dtype):
    """The name of the dtype of a NumPy dtype that is only bytes with a mark; else None."""
    return dtype.metadata.get(MARK) if dtype.kind == "V" and dtype.metadata else None


def names():
    """Scalar names, aliases and vector forms (int8x4)."""
    out = dict(ALIASES)
    out.update({f"float8_e4m3x{lanes}": f"float8_e4m3fnx{lanes}" for lanes in (2, 4, 8, 16, 32, 64)})
    for name in _BITS:
        out[name] = name
        if name not in ("bool", "handle", "float4_e2m1_unpacked"):
            for lanes in (2, 4, 8, 16, 32, 64):
                out[f"{name}x{lanes}"] = f"{name}x{lanes}"
    return out


def name_of(value):
    """The name of the dtype given as a str, Python type, NumPy or torch dtype; None if there is none."""
    if isinstance(value, str):
        name = ALIASES.get(str(value), str(value)).replace("custom[float4_e2m1_unpacked]8", "float4_e2m1_unpacked")
        return name if _split(name)[0] in _BITS else None
    if value is bool:
        return "bool"
    if value is int:
        return "int32"
    if value is float:
        return "float32"
    module = type(value).__module__
    if module == "torch":
        name = str(value).rpartition(".")[2].replace("float4_e2m1fn_x2", "float4_e2m1fnx2")
        return name if _split(name)[0] in _BITS else None
    if module.startswith("numpy") or getattr(value, "__module__", "") == "numpy":
        import numpy

        try:
            found = numpy.dtype(value)
        except TypeError:
            return None
        return marked(found) or name_of(found.name)
    return None
