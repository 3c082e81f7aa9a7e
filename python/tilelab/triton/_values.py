# SPDX-License-Identifier: Apache-2.0
"""The text of one element: expressions of a tile program for the operations of a block program."""

import functools
import math

from . import _remaps as remaps
from ._plan import EXPRESSION
from ._types import float32

_CALLS = {"isnan", "isinf", "isfinite"}
_OPTIONS = {"round": ['"ties-away-from-zero"']}  # further arguments of a function of T


def literal(value, dtype):
    """A constant with its dtype."""
    if dtype.is_bool():
        return "True" if value else "False"
    if dtype.is_floating():
        if value != value:
            text = "_nan"
        elif math.isinf(value):
            text = "_inf" if value > 0 else "(-_inf)"
        else:
            text = repr(value) if value >= 0 and math.copysign(1, value) > 0 else f"({value!r})"
        return text if dtype.tile == "float32" and "_" not in text else f"_T.{dtype.tile}({text})"
    text = str(value) if value >= 0 else f"({value})"
    if value == -2**31 and dtype.tile == "int32":
        return "(-2147483647 - 1)"
    return text if dtype.tile == "int32" else f"_T.{dtype.tile}({text})"


def _proved_once(prove):
    """A function of an operation and others, whose answers are kept with the operation: expressions share operands."""
    def known(op, *others):
        key = (prove, *others)
        if key not in op.known:
            op.known[key] = prove(op, *others)
        return op.known[key]

    return functools.update_wrapper(known, prove)


@_proved_once
def is_not_negative(op):
    """Whether an integer is known to be at least 0, unless it overflows."""
    kind = op.kind
    if op.attrs.get("not_negative"):
        return True
    if kind == "const":
        return op.attrs["value"] >= 0
    if kind in ("program_id", "num_programs", "counter"):
        return True
    if kind == "arange":
        return op.attrs["start"] >= 0
    if op.dtype is not None and getattr(op.dtype, "kind", "") == "uint":
        return True
    if kind == "binary":
        name = op.attrs["name"]
        if name in ("+", "*", "//", "floor", ">>", "|"):
            return all(map(is_not_negative, op.args))
        return name == "%" and is_not_negative(op.args[0]) or name == "&" and any(map(is_not_negative, op.args))
    if kind in ("remap", "cast"):
        return is_not_negative(op.args[0])
    if kind == "where":
        return all(map(is_not_negative, op.args[1:]))
    return kind == "math" and op.attrs["name"] in ("max", "min") and all(map(is_not_negative, op.args))


@_proved_once
def is_multiple(op, number):
    """Whether an integer is known to be a multiple of a number."""
    if op.kind == "const":
        return op.attrs["value"] % number == 0
    if op.kind == "argument":
        return op.attrs["divisible"] and 16 % number == 0
    if op.kind == "binary":
        name = op.attrs["name"]
        if name == "*":
            return any(is_multiple(arg, number) for arg in op.args)
        return name in ("+", "-") and all(is_multiple(arg, number) for arg in op.args)
    return op.kind in ("cast", "remap") and is_multiple(op.args[0], number)


def chunked_remainder(op):
    """(first, arange) of `(first + arange) % n` whose every 16 elements are neighbours; None for other operations."""
    if op.kind != "binary" or op.attrs["name"] != "%" or op.args[0].kind != "binary" or op.args[0].attrs["name"] != "+":
        return None
    first, range_ = sorted(op.args[0].args, key=lambda arg: arg.kind == "arange")
    if range_.kind != "arange" or range_.attrs["start"] % 16 or first.shape or op.args[1].shape:
        return None
    fits = is_multiple(first, 16) and is_multiple(op.args[1], 16) and is_not_negative(first) and is_not_negative(op.args[1])
    return (first, range_) if fits else None


def binary_text(op, a, b):
    """`a NAME b` for one element."""
    name, dtype = op.attrs["name"], op.args[0].dtype
    if dtype.is_bool() and name in ("&", "|", "^", "==", "!="):
        return f"({a} {({'&': 'and', '|': 'or', '^': '!='}).get(name, name)} {b})"
    if name == "/" and dtype == float32:  # as in Triton, not rounded correctly on a GPU
        return f"_T.fast_div({a}, {b})"
    if name == "%" and dtype.is_floating():
        return f"_T.fmod({a}, {b})"
    if name in ("//", "%") and not all(map(is_not_negative, op.args)):
        return f"_T.{'truncdiv' if name == '//' else 'truncmod'}({a}, {b})"
    return f"({a} {'//' if name == 'floor' else name} {b})"


def unary_text(op, a):
    name = op.attrs["name"]
    if name == "-" and op.dtype.kind == "uint":
        return f"({literal(0, op.dtype)} - {a})"
    return f"(not {a})" if name == "not" else f"({name}{a})"


def cast_text(op, a):
    """A conversion; of a float to bool, whether it is not zero."""
    if op.dtype.is_bool():
        return f"({a} != {literal(0, op.args[0].dtype)})"
    if op.args[0].dtype.is_bool():
        return f"({literal(1, op.dtype)} if {a} else {literal(0, op.dtype)})"
    return f'_T.cast({a}, "{op.dtype.tile}")'


class Values:
    """Expressions of scalars, and of block elements inside the T.Parallel that is being written."""

    def scalar(self, op):
        """The text of a scalar."""
        if (name := self.names.get(self.plan.buffer(op))) is not None:
            return name
        return self.text(op, (), self.scalar_operands(op))

    def scalar_operands(self, op):
        """The texts of a scalar's operands; a block of one element is an operand of a reshape."""
        return [self.scalar(arg) if not arg.shape else self.element(arg, ("0",) * len(arg.shape)) for arg in op.args]

    def element(self, op, index):
        """The text of the element of a block at an index, a tuple of texts."""
        if not op.shape:
            return self.scalar(op)
        if (buffer := self.names.get(self.plan.buffer(op))) is not None and self.plan.place[op] != EXPRESSION:
            return f"{buffer}[{', '.join(reversed(index) if op in self.plan.turned else index)}]"
        if op.kind == "arange":
            return remaps.add(index[0], str(op.attrs["start"]))
        key = op, index
        if (known := self.known.get(key)) is not None:
            return known
        if (parts := chunked_remainder(op)) is not None:
            at = remaps.add(index[0], str(parts[1].attrs["start"]))
            made = f"(({self.scalar(parts[0])} + {at} // 16 * 16) % {self.scalar(op.args[1])} + ({at} - {at} // 16 * 16))"
        else:
            made = self.text(op, index, self._operands(op, index))
        if op.kind in ("load", "gather") or self.reads.get(op, 0) > 1 and not self._is_short(op):
            self.known[key] = made = self.let(op, made)
        return made

    def _operands(self, op, index):
        if op.kind == "remap":
            return [self.element(op.args[0], remaps.source_index(op, index))]
        if op.kind == "gather":
            source = op.args[0]
            at = self.element(op.args[1], index)
            place = tuple(at if axis == op.attrs["axis"] else i for axis, i in enumerate(index))
            return [self.element(source, place)]
        return [self.element(arg, remaps.aligned(index, arg.shape)) for arg in op.args]

    @staticmethod
    def _is_short(op):
        return op.kind == "remap" or op.kind == "binary" and all(arg.kind in ("const", "arange", "argument") for arg in op.args)

    def text(self, op, index, args):
        """The text of an operation on the texts of its operands."""
        kind = op.kind
        if kind == "const":
            return literal(op.attrs["value"], op.dtype)
        if kind == "argument":
            return op.attrs["name"]
        if kind in ("program_id", "num_programs"):
            return self.launch_index(op)
        if kind == "binary":
            return binary_text(op, *args)
        if kind == "unary":
            return unary_text(op, *args)
        if kind == "cast":
            return cast_text(op, *args)
        if kind == "bitcast":
            return f'_T.reinterpret({args[0]}, "{op.dtype.tile}")'
        if kind == "where":
            return f"({args[1]} if {args[0]} else {args[2]})"
        if kind == "math":
            name = op.attrs["name"]
            return f"_T.{name}({', '.join([*args, *_OPTIONS.get(name, ())])})"
        if kind in ("remap", "gather"):
            return args[0]
        if kind == "load":
            return self.load_text(op, args)
        raise AssertionError(f"no text for {op!r}")

    def load_text(self, op, args):
        source = f"{op.attrs['base'].name}[{args[0]}]"
        return source if len(args) == 1 else f"({source} if {args[1]} else {args[2]})"
