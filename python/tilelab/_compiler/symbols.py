# SPDX-License-Identifier: Apache-2.0
"""Dynamic extents and tensor types in Python code outside kernels: `M = T.dynamic("M")`, `A: T.Tensor((M, 64), "float16")`."""

from . import dtypes


def _node(value):
    if isinstance(value, Symbolic):
        return value.node
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"an extent is an integer or made from T.dynamic, not {type(value).__name__}")
    return value.__index__()


class Symbolic:
    """An integer expression over T.dynamic names; a kernel treats it as its own expression."""

    __slots__ = ("node",)

    def __init__(self, node):
        self.node = node

    @property
    def name(self):
        return self.node[1] if self.node[0] == "name" else repr(self)

    @property
    def dtype(self):
        return dtypes.dtype(self.node[2] if self.node[0] == "name" else "int32")

    def __repr__(self):
        def text(node):
            if isinstance(node, int):
                return str(node)
            if node[0] == "name":
                return node[1]
            if node[0].isalpha():
                return f"{node[0]}({text(node[1])}, {text(node[2])})"
            return f"({text(node[1])} {node[0]} {text(node[2])})"

        return text(self.node)

    def __hash__(self):
        return hash(self.node)

    def __bool__(self):
        if self.node[0] == "==":
            return self.node[1] == self.node[2]
        raise TypeError(f"{self!r} is only known at run time, so Python cannot decide on it")


dtypes.dtype.symbolic = Symbolic


def _operator(text, reverse=False):
    def apply(self, other):
        try:
            node = _node(other)
        except TypeError:
            return NotImplemented
        return Symbolic((text, node, self.node) if reverse else (text, self.node, node))

    return apply


for _name, _text in {"add": "+", "sub": "-", "mul": "*", "floordiv": "//", "mod": "%",
                      "and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>"}.items():
    setattr(Symbolic, f"__{_name}__", _operator(_text))
    setattr(Symbolic, f"__r{_name}__", _operator(_text, True))
for _name, _text in {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}.items():
    setattr(Symbolic, f"__{_name}__", _operator(_text))


class _Expressions(type):
    def __instancecheck__(cls, value):
        return isinstance(value, Symbolic)


class PrimExpr(metaclass=_Expressions):
    """An expression of a kernel, for annotations and isinstance."""


class TensorType:
    """T.Tensor(shape, dtype) outside a kernel: the type of an argument."""

    def __init__(self, shape, dtype="float32", strides=()):
        items = shape if isinstance(shape, (tuple, list)) else (shape,)
        self.shape = tuple(items)
        is_pointer = getattr(dtype, "__name__", "") == "ptr"
        if (name := "handle" if is_pointer else dtypes.name_of(dtype)) is None:
            order = "; the shape comes first" if isinstance(dtype, (tuple, list)) else dtypes.meant(dtype)
            raise TypeError(f"T.Tensor(shape, dtype): {dtype!r} is not a dtype{order}")
        self.dtype = dtypes.dtype(name)
        self.strides = tuple(strides)

    def __repr__(self):
        return f"T.Tensor({self.shape!r}, {str(self.dtype)!r})"

    def describe(self):
        return ("tensor", tuple(map(_node, self.shape)), str(self.dtype), tuple(map(_node, self.strides)))


def dynamic(names, dtype="int32"):
    """Dynamic extents by name: one, or a tuple if several are named."""
    made = [Symbolic(("name", n, str(dtypes.name_of(dtype)))) for n in names.replace(",", " ").split()]
    return made[0] if len(made) == 1 else tuple(made)


def ceildiv(a, b):
    if isinstance(a, Symbolic) or isinstance(b, Symbolic):
        return Symbolic(("ceildiv", _node(a), _node(b)))
    return -(-a // b)
