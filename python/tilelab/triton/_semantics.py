# SPDX-License-Identifier: Apache-2.0
"""Arithmetic on values of a kernel: common dtypes, broadcasting, constants, pointers."""

import math
import operator

from . import _pointers as pointers, _types
from ._errors import fail
from ._graph import Tensor
from ._types import DType, float32, int1, int32, int64
from ._values import is_multiple

_FOLD = {"+": operator.add, "-": operator.sub, "*": operator.mul, "&": operator.and_, "|": operator.or_, "^": operator.xor,
         "<<": operator.lshift, ">>": operator.rshift, "//": operator.floordiv, "%": operator.mod}
_OF_BITS = {"+": "^", "-": "^", "*": "&"}  # arithmetic of int1, which wraps around
_COMPARE = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne}


def broadcast_shape(a, b, what="an operation"):
    """The common shape of two operands."""
    out = []
    for x, y in zip((1,) * (len(b) - len(a)) + tuple(a), (1,) * (len(a) - len(b)) + tuple(b)):
        if x != y and x != 1 and y != 1:
            fail(f"{what} has operands of shapes {list(a)} and {list(b)}, which cannot be broadcast", "shapes differ")
        out.append(max(x, y))
    return tuple(out)


def tensor(builder, value, dtype=None, shape=()):
    """A Tensor of a Python number or of a Tensor."""
    if isinstance(value, Tensor):
        return value
    value = _types.unwrapped(value)
    if isinstance(value, (bool, int, float)):
        dtype = dtype or _types.of_number(value)
        value = bool(value) if dtype.is_bool() else float(value) if dtype.is_floating() else _wrapped(int(value), dtype)
        return Tensor(builder.const(value, dtype))
    fail(f"{type(value).__name__} is not a value of a kernel", "a number or a tensor is expected here")


def _wrapped(value, dtype):
    bits = dtype.primitive_bitwidth
    value &= (1 << bits) - 1
    return value - (1 << bits) if dtype.kind == "int" and value >> (bits - 1) else value


def is_number(value):
    return isinstance(value, (bool, int, float, _types.constexpr))


def cast(builder, value, dtype):
    """Converts a value; the same one where nothing changes."""
    op = value.op
    if value.base is not None:
        return _cast_pointer(builder, value, dtype)
    if op.dtype == dtype:
        return value
    if isinstance(dtype, _types.PointerType):
        memory = builder.memories.of_addresses(op, dtype.element_ty)
        if memory is None:
            fail("an integer becomes a pointer", "load the address from an argument, an int64 tensor of addresses")
        return _cast_pointer(builder, Tensor(op, memory), dtype)
    if op.kind == "const":
        number = op.attrs["value"]
        if dtype.is_floating() and dtype.primitive_bitwidth >= 32:
            return tensor(builder, float(number), dtype)
        if dtype.is_bool() or not dtype.is_floating() and not op.dtype.is_floating():
            return tensor(builder, number, dtype)
    return Tensor(builder.op("cast", [op], op.shape, dtype))


def _cast_pointer(builder, value, dtype):
    """A pointer to the same memory as elements of another dtype. Its address has to be a multiple of their size."""
    base = value.base
    if isinstance(dtype, _types.PointerType) and dtype.element_ty == base.element:
        return value
    if not isinstance(dtype, _types.PointerType):
        fail(f"a pointer to {base.element} is converted to {dtype}", "convert it to a pointer type, such as tl.pointer_type(tl.int8)")
    if isinstance(base, pointers.Choice):
        return _cast_choice(builder, value, dtype)
    argument, offset = base.argument if isinstance(base, pointers.Cast) else base, Tensor(value.op)
    before, after = base.element.itemsize, dtype.element_ty.itemsize
    if before > after:
        offset = binary(builder, "*", offset, before // after)
    elif before < after:
        if not is_multiple(offset.op, after // before):
            aligned = binary(builder, "==", binary(builder, "%", offset, after // before), 0)
            builder.op("assert", [aligned.op], message=f"the address is a multiple of {after} bytes, the size of {dtype.element_ty}")
        offset = binary(builder, "//", offset, after // before)
    return Tensor(offset.op, pointers.cast_of(builder.memories, argument, dtype.element_ty))


def _cast_choice(builder, value, dtype):
    """The choice between the casts of each candidate."""
    made = None
    for base in value.base.bases:
        one = _cast_pointer(builder, Tensor(value.op, base), dtype)
        is_chosen = binary(builder, "==", Tensor(value.base.index), builder.memories.number_of(base))
        made = one if made is None else where(builder, is_chosen, one, made)
    return made


def bitcast(builder, value, dtype):
    """The same bits as another dtype of the same size."""
    return value if value.op.dtype == dtype else Tensor(builder.op("bitcast", [value.op], value.shape, dtype))


def operands(builder, a, b, divides=False):
    """Two operands with a common dtype."""
    numbers = [is_number(one) and not isinstance(one, _types.ASSIGNED) for one in (a, b)]
    a, b = tensor(builder, a), tensor(builder, b)
    dtype = _types.common(a.op.dtype, b.op.dtype, *numbers, divides)
    if True in numbers:
        _check_literals((a, b), numbers, dtype)
    return cast(builder, a, dtype), cast(builder, b, dtype), dtype


def _check_literals(values, are_numbers, dtype):
    for one, is_literal in zip(values, are_numbers):
        if is_literal and not _types.holds(dtype, one.op.attrs["value"]):
            fail(f"the number {one.op.attrs['value']} is out of range for {dtype}", f"convert the other operand to a wider type than {dtype}")


def binary(builder, name, a, b):
    """a NAME b, as Triton computes it. At least one operand is a Tensor."""
    if any(isinstance(x, Tensor) and x.base is not None for x in (a, b)):
        return _pointer_arithmetic(builder, name, a, b)
    if name in ("and", "or"):
        return logical(builder, name, a, b)
    given = a.op.dtype.kind if isinstance(a, Tensor) else ""
    if name in ("/", "//", "%"):
        _check_signs(name, a, b)
    a, b, dtype = operands(builder, a, b, name in ("/", "%", "//"))
    if name == "/" and not dtype.is_floating():
        a, b, dtype = cast(builder, a, float32), cast(builder, b, float32), float32
    if name in ("//", "&", "|", "^", "<<", ">>") and dtype.is_floating():
        fail(f"`{name}` of {a.op.dtype} and {b.op.dtype}", f"`{name}` takes integers")
    if name in ("//", "%") and not dtype.is_floating():
        b = _divisor(builder, b)
    shape = broadcast_shape(a.shape, b.shape, f"`{name}`")
    if name in _COMPARE:
        return Tensor(_folded(builder, name, a.op, b.op, shape, int1, _COMPARE))
    if dtype.is_bool() and name in _OF_BITS:
        name = _OF_BITS[name]
    elif dtype.is_bool() and name in ("//", "%", "<<", ">>"):
        a, b, dtype = cast(builder, a, int32), cast(builder, b, int32), int32
    if name == ">>" and given == "int" and dtype.kind != "int":  # the left operand decides: its sign is repeated
        signed = _types.ALL[f"int{dtype.primitive_bitwidth}"]
        a, b = (Tensor(builder.op("bitcast", [one.op], one.shape, signed)) for one in (a, b))
        made = _folded(builder, name, a.op, b.op, shape, signed, _FOLD)
        return Tensor(builder.op("bitcast", [made], shape, dtype))
    return Tensor(_folded(builder, name, a.op, b.op, shape, dtype, _FOLD))


def _check_signs(name, *values):
    """A quotient of a signed and an unsigned integer would be that of two unsigned ones, whatever the signed one is."""
    kinds = [one.op.dtype for one in values if isinstance(one, Tensor) and not one.op.dtype.is_floating()]
    if len(kinds) == 2 and kinds[0].is_signed != kinds[1].is_signed:
        fail(f"`{name}` of {kinds[0]} and {kinds[1]}, which have different signedness", "convert one of them: x.to(tl.int32)")


def _divisor(builder, value):
    """The divisor of integers: 1 where a mask left a loaded value undefined, or where no element executes the division, which is not to
    be a division by zero."""
    if builder.lanes is not None:
        value = where(builder, builder.lanes, value, 1)
    op = value.op
    while op.kind == "cast":
        op = op.args[0]
    if op.kind != "load" or not op.attrs["unset"]:
        return value
    return where(builder, Tensor(op.args[1]), value, 1)


def logical(builder, name, a, b):
    """The `and`, `or` of two conditions."""
    a, b = condition(builder, a), condition(builder, b)
    shape = broadcast_shape(a.shape, b.shape, f"`{name}`")
    return Tensor(_folded(builder, {"and": "&", "or": "|"}[name], a.op, b.op, shape, int1, _FOLD))


def condition(builder, value):
    """A value as int1: whether it is not zero. Pointers are not null: without a tensor an argument is None."""
    value = tensor(builder, value)
    if value.base is not None:
        return broadcast_to(builder, tensor(builder, True), value.shape)
    if value.op.dtype == int1:
        return value
    return binary(builder, "!=", value, 0)


def _constant(op):
    return op.attrs["value"] if op.kind == "const" else None


def _folded(builder, name, a, b, shape, dtype, table):
    """A binary operation; computed if both operands are integer constants, or one is neutral."""
    x, y = _constant(a), _constant(b)
    integers = not a.dtype.is_floating()
    if x is not None and y is not None and integers and not (name in ("//", "%") and (y == 0 or x < 0 or y < 0)):
        made = table[name](x, y)
        return tensor(builder, made, dtype).op
    if integers and name in ("+", "-") and y == 0 and a.shape == shape or integers and name in ("*", "//") and y == 1 and a.shape == shape:
        return a
    if integers and (name == "+" and x == 0 or name == "*" and x == 1) and b.shape == shape:
        return b
    if name == "&" and dtype == int1 and x is True and b.shape == shape:
        return b
    if name == "&" and dtype == int1 and y is True and a.shape == shape:
        return a
    return builder.op("binary", [a, b], shape, dtype, name=name)


def _pointer_arithmetic(builder, name, a, b):
    pointer = isinstance(a, Tensor) and a.base is not None
    both = pointer and isinstance(b, Tensor) and b.base is not None
    if both and a.base is b.base and name in ("==", "!=", "<", "<=", ">", ">=", "-"):
        return binary(builder, name, Tensor(a.op), Tensor(b.op))
    if both or name not in ("+", "-") or (name == "-" and not pointer):
        if name in ("==", "!=") and not both and (b if pointer else a) in (0, None):
            return name == "!="
        fail(f"`{name}` of a pointer", "a pointer can be added to integers")
    if not pointer:
        a, b = b, a
    offset = tensor(builder, b)
    if offset.op.dtype.is_floating():
        fail(f"a pointer is moved by a {offset.op.dtype}", "offsets are integers")
    return Tensor(binary(builder, name, Tensor(a.op), _index(builder, offset)).op, a.base)


def _index(builder, offset):
    dtype = offset.op.dtype
    if dtype in (int32, int64):
        return offset
    return cast(builder, offset, int64 if dtype.primitive_bitwidth >= 32 else int32)


def unary(builder, name, a):
    """NAME a, for - ~ + and not."""
    op = a.op
    if name == "not":
        one = condition(builder, a)
        known = _constant(one.op)
        return Tensor(builder.op("unary", [one.op], one.shape, int1, name="not")) if known is None else tensor(builder, not known)
    if a.base is not None:
        fail(f"`{name}` of a pointer", "a pointer can only be added to integers")
    if name == "+":
        return a
    if name == "~" and op.dtype == int1:
        return Tensor(builder.op("unary", [op], op.shape, int1, name="not"))
    if name == "~" and op.dtype.is_floating():
        fail(f"`~` of {op.dtype}", "`~` takes integers")
    if (value := _constant(op)) is not None and not op.dtype.is_bool():
        return tensor(builder, -value if name == "-" else ~value, op.dtype)
    return Tensor(builder.op("unary", [op], op.shape, op.dtype, name=name))


def where(builder, condition_value, x, y):
    """condition ? x : y of every element."""
    chosen = condition(builder, condition_value)
    if pointers.is_pointer(x) or pointers.is_pointer(y):
        if not pointers.can_choose(x, y):
            fail("tl.where chooses between a pointer and a value of another type", "convert both to one pointer type")
        offsets = where(builder, chosen, Tensor(x.op), Tensor(y.op))
        if x.base is y.base and not isinstance(x.base, pointers.Choice):
            return Tensor(offsets.op, x.base)
        numbers = where(builder, chosen, pointers.index_of(builder, x), pointers.index_of(builder, y))
        return pointers.chosen(offsets, numbers, x, y)
    x, y, dtype = operands(builder, x, y)
    shape = broadcast_shape(broadcast_shape(x.shape, y.shape, "tl.where"), chosen.shape, "tl.where")
    if chosen.op.kind == "const":
        picked = x if chosen.op.attrs["value"] else y
        if picked.shape == shape:
            return picked
    return Tensor(builder.op("where", [chosen.op, x.op, y.op], shape, dtype))


def math_call(builder, name, values, dtype=None):
    """A function of the target on elements; operands get a common dtype."""
    made = [tensor(builder, v) for v in values]
    kind = made[0].op.dtype
    for one in made[1:]:
        kind = _types.common(kind, one.op.dtype, False, False)
    made = [cast(builder, one, kind) for one in made]
    shape = ()
    for one in made:
        shape = broadcast_shape(shape, one.shape, f"tl.{name}")
    return Tensor(builder.op("math", [one.op for one in made], shape, dtype or kind, name=name))


# --- changes of the index: the element of a result that comes from an element of the operand ------------------------

def remap(builder, value, shape, how, **attrs):
    """A value whose elements are those of another one at other indices; `how` is a row of _remaps.TABLE."""
    base = value.base
    if isinstance(base, pointers.Choice) and base.index.shape:
        index = broadcast_to(builder, Tensor(base.index), value.shape)
        base = pointers.Choice(base.bases, remap(builder, index, shape, how, **attrs).op)
    return Tensor(builder.op("remap", [value.op], shape, value.op.dtype, how=how, **attrs), base)


def broadcast_to(builder, value, shape):
    shape = tuple(shape)
    if value.shape == shape:
        return value
    if broadcast_shape(value.shape, shape, "tl.broadcast_to") != shape:
        fail(f"a value of shape {list(value.shape)} is broadcast to {list(shape)}", "extents other than 1 have to be equal")
    return remap(builder, value, shape, "broadcast")


def expand_dims(builder, value, axes):
    """Inserts dimensions of extent 1."""
    shape = list(value.shape)
    rank = len(shape) + len(axes)
    if not all(isinstance(axis, int) and -rank <= axis < rank for axis in axes) or len({axis % rank for axis in axes}) < len(axes):
        fail(f"dimensions {list(axes)} are inserted into a block with {len(shape)} dimensions", f"use different ones of 0 to {rank - 1}")
    for axis in sorted(axis % rank for axis in axes):
        shape.insert(axis, 1)
    return reshape(builder, value, shape)


def reshape(builder, value, shape):
    shape = tuple(shape)
    if shape == value.shape:
        return value
    if math.prod(shape) != value.op.size:
        fail(f"{list(value.shape)} is reshaped to {list(shape)}", "the numbers of elements differ")
    return remap(builder, value, shape, "reshape")


def permute(builder, value, order):
    order = tuple(axis % len(value.shape) for axis in order)
    if sorted(order) != list(range(len(value.shape))):
        fail(f"dimensions of {list(value.shape)} are permuted by {list(order)}", "each dimension is listed once")
    if order == tuple(range(len(order))):
        return value
    return remap(builder, value, [value.shape[axis] for axis in order], "permute", order=order)


def full(builder, shape, value, dtype):
    """A block of one value."""
    one = tensor(builder, value)
    one = cast(builder, one, dtype) if isinstance(dtype, DType) else one
    if one.op.kind == "const":
        one = tensor(builder, one.op.attrs["value"], one.op.dtype)
    return broadcast_to(builder, one, shape)
