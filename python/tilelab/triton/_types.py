# SPDX-License-Identifier: Apache-2.0
"""Types of Triton's language: dtypes, pointer and block types, and the rules by which operands get a common dtype."""

import enum

from .._compiler import dtypes

# Triton's name, the name in a tile program, kind, bits.
_ROWS = (
    ("void", "void", "void", 0),
    ("int1", "bool", "bool", 1),
    ("int8", "int8", "int", 8), ("int16", "int16", "int", 16), ("int32", "int32", "int", 32), ("int64", "int64", "int", 64),
    ("uint8", "uint8", "uint", 8), ("uint16", "uint16", "uint", 16), ("uint32", "uint32", "uint", 32),
    ("uint64", "uint64", "uint", 64),
    ("float8e5", "float8_e5m2", "float", 8), ("float8e4nv", "float8_e4m3fn", "float", 8),
    ("float8e4b8", "float8_e4m3fnuz", "float", 8), ("float8e5b16", "float8_e5m2fnuz", "float", 8),
    ("float16", "float16", "float", 16), ("bfloat16", "bfloat16", "float", 16), ("float32", "float32", "float", 32),
    ("float64", "float64", "float", 64),
)
# The short names of signatures and of str(dtype).
_SHORT = {"int1": "int1", "float8e5": "fp8e5", "float8e4nv": "fp8e4nv", "float8e4b8": "fp8e4b8", "float8e5b16": "fp8e5b16",
          "float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "float64": "fp64"}


# Bits of the mantissa, and what is added to the exponent.
_FLOATS = {"float8e5": (2, 15), "float8e4nv": (3, 7), "float8e4b8": (3, 8), "float8e5b16": (2, 16), "float16": (10, 15),
           "bfloat16": (7, 127), "float32": (23, 127), "float64": (52, 1023)}


class DType:
    """A dtype of Triton's language, such as tl.float32. `tile`: its name in a tile program."""

    SIGNEDNESS = enum.Enum("SIGNEDNESS", ["SIGNED", "UNSIGNED"], start=0)

    def __init__(self, name, tile=None, kind=None, bits=None):
        if tile is None:  # tl.dtype("fp32")
            name, tile, kind, bits = next(row for row in _ROWS if name in (row[0], _SHORT.get(row[0])))
        self.long_name, self.tile, self.kind, self.primitive_bitwidth = name, tile, kind, bits
        self.name = _SHORT.get(name, name)
        self.is_signed = kind == "int"
        self.fp_mantissa_width, self.exponent_bias = _FLOATS.get(name, (-1, None))
        if self.is_int():
            self.int_bitwidth, self.int_signedness = bits, self.SIGNEDNESS.SIGNED if self.is_signed else self.SIGNEDNESS.UNSIGNED

    @property
    def scalar(self):
        return self

    element_ty = None

    def is_floating(self):
        return self.kind == "float"

    def is_int(self):
        return self.kind in ("int", "uint", "bool")

    def is_bool(self):
        return self.kind == "bool"

    def is_ptr(self):
        return False

    is_block = is_const = is_fp8e4b15 = is_ptr

    @staticmethod
    def is_dtype(name):
        """Whether a text is the name of a dtype."""
        return name in ALL or name in _BY_SHORT

    def get_int_max_value(self):
        return (1 << self.int_bitwidth - self.is_signed) - 1

    def get_int_min_value(self):
        return -(1 << self.int_bitwidth - 1) if self.is_signed else 0

    def is_fp8(self):
        return self.kind == "float" and self.primitive_bitwidth == 8

    def is_int_signed(self):
        return self.kind == "int"

    def is_int_unsigned(self):
        return self.kind in ("uint", "bool")

    def is_standard_floating(self):
        return self.kind == "float" and self.primitive_bitwidth >= 16

    @property
    def itemsize(self):
        return max(1, self.primitive_bitwidth // 8)

    def __eq__(self, other):
        return isinstance(other, DType) and self.long_name == other.long_name

    def __hash__(self):
        return hash(self.long_name)

    def __repr__(self):
        return f"triton.language.{self.long_name}"

    def __str__(self):
        return self.name


ALL = {row[0]: DType(*row) for row in _ROWS}
_BY_TILE = {one.tile: one for one in ALL.values()}
_BY_SHORT = {one.name: one for one in ALL.values()} | {f"i{b}": ALL[f"int{b}"] for b in (1, 8, 16, 32, 64)} | {
    f"u{b}": ALL[f"uint{b}"] for b in (8, 16, 32, 64)}


def _question(name):
    def ask(self):
        return self.long_name == name

    return ask


for _name, _question_name in {"int1": "int1", "int8": "int8", "int16": "int16", "int32": "int32", "int64": "int64", "uint8": "uint8",
                              "uint16": "uint16", "uint32": "uint32", "uint64": "uint64", "float16": "fp16", "bfloat16": "bf16",
                              "float32": "fp32", "float64": "fp64", "float8e5": "fp8e5", "float8e4nv": "fp8e4nv", "float8e4b8": "fp8e4b8",
                              "float8e5b16": "fp8e5b16", "void": "void"}.items():
    setattr(DType, f"is_{_question_name}", _question(_name))

int1, int32, int64, float32, float16, bfloat16 = (ALL[n] for n in ("int1", "int32", "int64", "float32", "float16", "bfloat16"))
uint32, uint64 = ALL["uint32"], ALL["uint64"]


class PointerType:
    """tl.pointer_type(element)."""

    def __init__(self, element_ty, address_space=1):
        self.element_ty = element_ty

    @property
    def scalar(self):
        return self

    def is_ptr(self):
        return True

    def is_block(self):
        return isinstance(self.element_ty, BlockType)

    def is_floating(self):
        return False

    is_int = is_bool = is_fp8 = is_floating

    def __eq__(self, other):
        return isinstance(other, PointerType) and self.element_ty == other.element_ty

    def __hash__(self):
        return hash(("pointer", self.element_ty))

    def __repr__(self):
        return f"pointer<{self.element_ty}>"


class BlockType:
    """tl.block_type(element, shape)."""

    def __init__(self, element_ty, shape):
        self.element_ty, self.shape = element_ty, tuple(shape)

    @property
    def scalar(self):
        return self.element_ty

    def is_block(self):
        return True

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.element_ty, name)

    def __eq__(self, other):
        return isinstance(other, BlockType) and (self.element_ty, self.shape) == (other.element_ty, other.shape)

    def __hash__(self):
        return hash((self.element_ty, self.shape))

    def __repr__(self):
        return f"<{list(self.shape)}, {self.element_ty}>"


class constexpr:
    """Annotation of a compile-time parameter; on the host, a wrapped value."""

    def __init__(self, value):
        self.value = value.value if isinstance(value, constexpr) else value

    def __class_getitem__(cls, item):
        return cls

    def __repr__(self):
        return f"constexpr[{self.value}]"

    def __bool__(self):
        return bool(self.value)

    def __index__(self):
        return self.value

    def __eq__(self, other):
        return self.value == unwrapped(other)

    def __hash__(self):
        return hash(self.value)

    def __call__(self, *args, **kwargs):
        return self.value(*args, **kwargs)


def _on_values(name):
    def apply(self, *others):
        return constexpr(getattr(self.value, name)(*map(unwrapped, others)))

    return apply


for _name in ("add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow neg lt le gt ge and rand or ror "
              "xor lshift rshift invert").split():
    setattr(constexpr, f"__{_name}__", _on_values(f"__{_name}__"))


class constexpr_type:
    """The type of a compile-time value in a kernel, x.type: equal to that of an equal value."""

    def __init__(self, value):
        self.value = unwrapped(value)

    def __eq__(self, other):
        return isinstance(other, constexpr_type) and self.value == other.value

    def __hash__(self):
        return hash(self.value)

    def __repr__(self):
        return f"constexpr_type[{self.value}]"


class AssignedInt(int):
    """A number assigned to a name: known when the kernel is compiled, but in Triton an int32 tensor, whose dtype counts in operations,
    unlike that of a literal or of a tl.constexpr."""


class AssignedFloat(float):
    """The same of a float: a float32 tensor."""


ASSIGNED = AssignedInt, AssignedFloat


def assigned(value):
    """The value that a name gets which a kernel assigns."""
    value = unwrapped(value)
    if type(value) is tuple:
        return tuple(map(assigned, value))
    return AssignedInt(value) if type(value) is int else AssignedFloat(value) if type(value) is float else value


def literal(value):
    """An assigned number as a compile-time one."""
    return int(value) if isinstance(value, AssignedInt) else float(value) if isinstance(value, AssignedFloat) else value


def unwrapped(value):
    """The value of a constexpr; other values as they are."""
    return value.value if isinstance(value, constexpr) else value


def as_dtype(value):
    """The DType that a value names: a DType, a dtype of tilelab, torch or NumPy, a Python type; None for other values."""
    value = unwrapped(value)
    if isinstance(value, (DType, PointerType)):
        return value
    if isinstance(value, BlockType):
        return value.element_ty
    if isinstance(value, str) and type(value) is str and value.lstrip("*") in _BY_SHORT:
        found = _BY_SHORT[value.lstrip("*")]
        return PointerType(found) if value.startswith("*") else found
    try:
        name = dtypes.name_of(value)
    except (TypeError, ValueError):
        return None
    return _BY_TILE.get(str(name)) if name is not None else None


def of_tile(name):
    """The DType with this name in a tile program; None if Triton has no such dtype."""
    return _BY_TILE.get(name)


def of_number(value):
    """The dtype of a Python number: Triton's rule for a constant that becomes a tensor."""
    if isinstance(value, bool):
        return int1
    if isinstance(value, int):
        if -2**31 <= value < 2**31:
            return int32
        if 2**31 <= value < 2**32:
            return uint32
        return int64 if -2**63 <= value < 2**63 else uint64
    return float32


def holds(dtype, value):
    """Whether an integer dtype has a value of this number; floats have one of each."""
    if not isinstance(value, int) or dtype.kind not in ("int", "uint"):
        return True
    least = -2**(dtype.primitive_bitwidth - 1) if dtype.kind == "int" else 0
    return least <= value < least + 2**dtype.primitive_bitwidth


_RANK = {"bool": 0, "int": 1, "uint": 1, "float": 2}


def common(a, b, a_is_number, b_is_number, divides=False):
    """The dtype in which a binary operation computes; None if there is none. `divides`: for / and %."""
    if a_is_number != b_is_number:
        number, tensor = (a, b) if a_is_number else (b, a)
        if _RANK[number.kind] <= _RANK[tensor.kind]:
            return float32 if divides and tensor.long_name in ("float16", "bfloat16") else tensor
    names = {a.long_name, b.long_name}
    if "float64" in names:
        return ALL["float64"]
    if "float32" in names:
        return float32
    if "float16" in names:
        return float32 if divides else float16
    if "bfloat16" in names:
        return bfloat16 if len(names) == 1 and not divides else float32
    if a.is_fp8() and b.is_fp8():
        return a if a == b else float16
    if a.is_floating() or b.is_floating():
        return a if a.is_floating() else b
    return _common_integer(a, b)


def _common_integer(a, b):
    if a.kind == "bool" or b.kind == "bool":
        return b if a.kind == "bool" else a
    if a.kind == b.kind:
        return a if a.primitive_bitwidth > b.primitive_bitwidth else b
    unsigned, signed = (a, b) if a.kind == "uint" else (b, a)
    return unsigned if unsigned.primitive_bitwidth >= signed.primitive_bitwidth else signed
