# SPDX-License-Identifier: Apache-2.0
"""Expressions of a kernel: Python values stay Python values, everything else becomes operations."""

import ast
import builtins
import operator
import types

from . import _pointers as pointers, _semantics as semantics, _types
from ._errors import NeedsConstant, Refused, fail, unsupported
from ._functions import TABLE, Builtin, Method, Range
from ._graph import Tensor
from ._types import constexpr, unwrapped

BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.BitAnd: "&",
          ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>", ast.Pow: "**", ast.MatMult: "@"}
COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
UNARY = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not"}
_PYTHON = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
           "%": operator.mod, "&": operator.and_, "|": operator.or_, "^": operator.xor, "<<": operator.lshift,
           ">>": operator.rshift, "**": operator.pow, "<": operator.lt, "<=": operator.le, ">": operator.gt,
           ">=": operator.ge, "==": operator.eq, "!=": operator.ne}
_HOST = {int, float, bool, len, min, max, abs, range, tuple, list, str, isinstance, type, print, sum, enumerate, zip, reversed,
         getattr, hasattr, round, sorted, all, any}
_CLASSES = {"constexpr": constexpr, "tuple": tuple}  # names of the language that are functions and classes
_ALTERED = {"min": "minimum", "max": "maximum", "abs": "abs", "print": "device_print"}


def is_dynamic(value):
    if isinstance(value, (tuple, list)):
        return any(map(is_dynamic, value))
    return isinstance(value, Tensor)


def module_of_language(value):
    """Whether a value is a module whose names, in a kernel, are those of the language: triton.language, tilelang."""
    return isinstance(value, types.ModuleType) and (getattr(value, "__name__", "") in (
        "tilelab", "tilelab.triton", "triton") or getattr(value, "is_triton_language", False))


class Expressions:
    """Evaluates expressions; the statements are in Translator."""

    def value(self, node):
        before = self.builder.place
        self.mark(node)
        found = getattr(self, f"_{type(node).__name__}", None)
        if found is None:
            unsupported(f"the expression {type(node).__name__}", "compute it outside, and pass it as a tl.constexpr")
        made = found(node)
        self.builder.place = before
        return made

    def tested(self, node):
        """The value of an expression that is a condition."""
        value = self.value(node)
        return semantics.condition(self.builder, value) if pointers.is_pointer(value) else value

    def mark(self, node):
        """Makes a node of the user's source the place of the next operations."""
        if self.frame.visible and hasattr(node, "lineno"):
            self.builder.place = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)

    def static(self, node, what):
        """The Python value of an expression; an argument that it depends on becomes a compile-time parameter."""
        return self.as_static(self.value(node), what)

    def as_static(self, value, what="a value"):
        value = unwrapped(value)
        if isinstance(value, (tuple, list)):
            return type(value)(self.as_static(one, what) for one in value)
        if not isinstance(value, Tensor):
            return _types.literal(value)
        if value.op.kind == "const":
            return value.op.attrs["value"]
        if name := self.needed_argument(value.op):
            raise NeedsConstant(name)
        fail(f"{what} is known only when the kernel runs", "declare it as tl.constexpr")

    def needed_argument(self, op):
        """An argument on which a scalar depends, if it depends on nothing but arguments; "" for a constant."""
        if op.kind == "argument":
            return op.attrs["name"]
        if op.kind == "const":
            return ""
        if op.shape != () or op.kind not in ("binary", "unary", "cast", "where"):
            return None
        found = [self.needed_argument(arg) for arg in op.args]
        return None if None in found else max(found, key=len)

    def _Constant(self, node):
        return node.value

    def _Name(self, node):
        if node.id in self.frame.names:
            return self.frame.names[node.id]
        if node.id in self.frame.lost:
            fail(f"`{node.id}` has no single value here", f"`{node.id}` {self.frame.lost[node.id]}")
        try:
            found = self.frame.scope.lookup(node.id)
        except KeyError:
            fail(f"`{node.id}` is not defined", "assign it before, or pass it as an argument")
        if self.recorded is not None:
            self.recorded.append((self.frame.scope, node.id, found))
        return unwrapped(found)

    def _Tuple(self, node):
        out = []
        for item in node.elts:
            if isinstance(item, ast.Starred):
                out += self.value(item.value)
            else:
                out.append(self.value(item))
        return tuple(out)

    def _List(self, node):
        return list(self._Tuple(node))

    def _Dict(self, node):
        return {self.static(k, "a key"): self.value(v) for k, v in zip(node.keys, node.values)}

    def _Slice(self, node):
        if node.lower is node.upper is node.step is None:
            return slice(None)
        return slice(*(None if part is None else self.static(part, "a bound of a slice") for part in (node.lower, node.upper, node.step)))

    def _JoinedStr(self, node):
        return "".join(str(self._formatted(part)) for part in node.values)

    def _formatted(self, part):
        if isinstance(part, ast.Constant):
            return part.value
        spec = "" if part.format_spec is None else self._JoinedStr(part.format_spec)
        return format(self.static(part.value, "a part of a text"), spec)

    def _ListComp(self, node):
        return list(self._generated(node, 0))

    def _GeneratorExp(self, node):
        return tuple(self._generated(node, 0))

    def _generated(self, node, depth):
        if depth == len(node.generators):
            yield self.value(node.elt)
            return
        clause = node.generators[depth]
        for item in self.iterated(self.value(clause.iter)):
            self.bind(clause.target, item)
            if all(self.static(test, "a condition") for test in clause.ifs):
                yield from self._generated(node, depth + 1)

    def iterated(self, value):
        if isinstance(value, Range):
            return range(*(self.as_static(bound, "a bound") for bound in value.bounds))
        return value

    def _NamedExpr(self, node):
        self.bind(node.target, _types.assigned(self.value(node.value)))
        return self.frame.names[node.target.id]

    def _Lambda(self, node):
        fail("a lambda in a kernel", "write a function with @triton.jit")

    # --- attributes and items -------------------------------------------------------------------------

    def _Attribute(self, node):
        return self.attribute(self.value(node.value), node.attr)

    def attribute(self, value, name):
        if isinstance(value, Tensor):
            return self._tensor_attribute(value, name)
        if name == "value" and not hasattr(value, "value"):  # of a constexpr
            return value
        if isinstance(value, _types.ASSIGNED):
            return self._tensor_attribute(semantics.tensor(self.builder, value), name)
        if name == "type" and isinstance(value, (int, float, str)):
            return _types.constexpr_type(value)
        if module_of_language(value) and name in TABLE:
            return TABLE[name]
        if hasattr(value, "block_attribute"):
            return value.block_attribute(self, name)
        try:
            return unwrapped(getattr(value, name))
        except AttributeError as error:
            if module_of_language(value):
                unsupported(f"the unknown name {name} of the language", "see docs/guide/14-pointers.md for the names")
            fail(str(error), "use another name")

    def _tensor_attribute(self, value, name):
        if name == "shape":
            return value.shape
        if name == "dtype":
            return value.dtype
        if name == "type":
            return _types.BlockType(value.dtype, value.shape) if value.shape else value.dtype
        if name == "numel":
            return value.op.size
        if name == "T":
            return TABLE["trans"].call(self, (value,), {})
        builtin = TABLE.get({"cast": "to", "__add__": "add"}.get(name, name))
        if builtin is None or not builtin.method:
            unsupported(f"the attribute {name} of a tensor", "call a function of tl")
        return Method(builtin, value)

    def _Subscript(self, node):
        value, index = self.value(node.value), self.value(node.slice)
        if isinstance(value, Tensor):
            return self._indexed(value, index if isinstance(index, tuple) else (index,))
        if hasattr(value, "block_item"):
            return value.block_item(self, index)
        try:
            return unwrapped(value[self.as_static(index, "an index")])
        except (TypeError, IndexError, KeyError) as error:
            fail(f"{ast.unparse(node)}: {error}", "an index selects an item of a tuple, or inserts dimensions of a tensor")

    def _indexed(self, value, index):
        """x[:, None]: each None inserts a dimension."""
        shape, rest = [], list(value.shape)
        for one in index:
            if one is None:
                shape.append(1)
            elif isinstance(one, slice) and one == slice(None):
                shape += rest[:1]  # of a scalar, `:` is nothing
                rest = rest[1:]
            else:
                unsupported("a tensor that is indexed by a value", "only : and None are allowed: x[:, None]")
        return semantics.reshape(self.builder, value, shape + rest)

    # --- operators ------------------------------------------------------------------------------------

    def _BinOp(self, node):
        return self.binary(BINARY[type(node.op)], self.value(node.left), self.value(node.right))

    def binary(self, name, a, b):
        a, b = unwrapped(a), unwrapped(b)
        if isinstance(a, Tensor) or isinstance(b, Tensor):
            if name == "@":
                return TABLE["dot"].call(self, (a, b), {})
            if name == "**":
                unsupported("`**` of a tensor", "multiply, or use tl.exp2(y * tl.log2(x))")
            if any(isinstance(x, (tuple, list)) for x in (a, b)):
                fail(f"`{name}` of a tensor and a tuple", "take the items of the tuple one by one")
            return semantics.binary(self.builder, name, a, b)
        if isinstance(a, tuple) and isinstance(b, list) or isinstance(a, list) and isinstance(b, tuple):
            a, b = tuple(a), tuple(b)
        return self.host(_PYTHON[name], (a, b), {})

    def _UnaryOp(self, node):
        name, value = UNARY[type(node.op)], self.value(node.operand)
        if isinstance(value, Tensor):
            return semantics.unary(self.builder, name, value)
        return self.host({"-": operator.neg, "+": operator.pos, "~": operator.invert, "not": operator.not_}[name], (value,), {})

    def _BoolOp(self, node):
        """A compile-time operand decides, in any position, or is left out."""
        name, made = "and" if isinstance(node.op, ast.And) else "or", None
        for operand in node.values:
            value = self.value(operand)
            if isinstance(value, Tensor):
                made = value if made is None else semantics.logical(self.builder, name, made, value)
            elif bool(value) == (name == "or"):
                return value
        return value if made is None else made

    def _Compare(self, node):
        left, made = self.value(node.left), None
        for kind, right in zip(node.ops, node.comparators):
            right = self.value(right)
            one = self._compared(kind, left, right)
            made = one if made is None else self._both(made, one)
            left = right
        return made

    def _both(self, a, b):
        if isinstance(a, Tensor) or isinstance(b, Tensor):
            return semantics.logical(self.builder, "and", a, b)
        return a and b

    def _compared(self, kind, left, right):
        if kind in (ast.Is, ast.IsNot) or type(kind) in (ast.Is, ast.IsNot):
            same = left is right or not isinstance(left, Tensor) and not isinstance(right, Tensor) and left == right
            return same == isinstance(kind, ast.Is)
        if isinstance(kind, (ast.In, ast.NotIn)):
            return (left in right) == isinstance(kind, ast.In)
        return self.binary(COMPARE[type(kind)], left, right)

    def _IfExp(self, node):
        test = self.tested(node.test)
        if not isinstance(test, Tensor):
            return self.value(node.body if test else node.orelse)
        if test.op.kind == "const":
            return self.value(node.body if test.op.attrs["value"] else node.orelse)
        return self.chosen(test, lambda: self.value(node.body), lambda: self.value(node.orelse))

    # --- calls ----------------------------------------------------------------------------------------

    def _Call(self, node):
        callee = self.value(node.func)
        args = []
        for one in node.args:
            if isinstance(one, ast.Starred):
                args += self.value(one.value)
            else:
                args.append(self.value(one))
        keywords = {}
        for one in node.keywords:
            if one.arg is None:
                keywords.update(self.value(one.value))
            else:
                keywords[one.arg] = self.value(one.value)
        return self.call(callee, tuple(args), keywords)

    def call(self, callee, args, keywords):
        if isinstance(callee, Method):
            return callee.builtin.call(self, (callee.value, *args), keywords)
        if isinstance(callee, Builtin):
            return callee.call(self, args, keywords)
        if hasattr(callee, "block_call"):  # a class of values of the language
            return callee.block_call(self, args, keywords)
        if (function := getattr(callee, "block_function", None)) is not None:
            return self.inlined(function, args, keywords)
        if isinstance(callee, _types.DType):
            return TABLE["to"].call(self, (args[0], callee), {})
        if callee is constexpr:
            return self.as_static(args[0])
        if callee is range:
            return Range(args)
        if callee is isinstance:
            return any(self._is_of(args[0], one) for one in (args[1] if isinstance(args[1], tuple) else (args[1],)))
        if callee in (hasattr, getattr) and isinstance(args[0], Tensor):
            return self._named_attribute(callee, *args)
        dynamic = is_dynamic(args) or is_dynamic(tuple(keywords.values()))
        if not dynamic:
            return self.host(callee, args, keywords)
        return self._dynamic_call(callee, args, keywords)

    def _named_attribute(self, callee, value, name, *default):
        """hasattr or getattr of a tensor."""
        try:
            found = self.attribute(value, name)
        except Refused:
            if callee is getattr and not default:
                raise
            return default[0] if default else False
        return found if callee is getattr else True

    @staticmethod
    def _is_of(value, kind):
        kind = _CLASSES.get(kind.__name__, kind) if isinstance(kind, Builtin) else kind
        if not isinstance(kind, type):
            fail(f"isinstance() of {kind!r}", "pass a class, such as tl.tensor, or a tuple of classes")
        return not isinstance(value, (Tensor, *_types.ASSIGNED)) if kind is constexpr else isinstance(value, kind)

    def _dynamic_call(self, callee, args, keywords):
        name = getattr(callee, "__name__", type(callee).__name__)
        if getattr(builtins, name, None) is callee and name in _ALTERED:
            if name in ("min", "max"):
                made = args[0]
                for other in args[1:]:
                    made = TABLE[_ALTERED[name]].call(self, (made, other), {})
                return made
            return TABLE[_ALTERED[name]].call(self, args, keywords)
        if callee is len and not isinstance(args[0], Tensor):
            return len(args[0])
        if callee in (float, int, bool):
            to = {float: "float32", int: "int32", bool: "int1"}[callee]
            return TABLE["to"].call(self, (args[0], _types.ALL[to]), {})
        if isinstance(callee, types.FunctionType):
            return self.inlined(callee, args, keywords)
        if isinstance(callee, type) and issubclass(callee, tuple):  # a named tuple
            return callee(*args, **keywords)
        if getattr(builtins, name, None) is callee:
            args = self.as_static(args, f"an argument of {name}()")
            return self.host(callee, args, keywords)
        unsupported(f"{name}() of a tensor", "decorate it with @triton.jit")

    @staticmethod
    def _as_constexpr(value):
        return value if isinstance(value, (Tensor, constexpr)) else constexpr(value)

    def host(self, callee, args, keywords):
        """Calls a Python function on Python values. What it makes of assigned numbers is one."""
        if not callable(callee):
            fail(f"{type(callee).__name__} is called", "only functions can be called")
        if getattr(callee, "__triton_builtin__", False):
            args = tuple(map(self._as_constexpr, args))
            keywords = {name: self._as_constexpr(one) for name, one in keywords.items()}
        try:
            made = unwrapped(callee(*args, **keywords))
            return _types.assigned(made) if any(isinstance(one, _types.ASSIGNED) for one in args) else made
        except NeedsConstant:
            raise
        except Exception as error:
            if hasattr(error, "diagnostics"):
                raise
            name = getattr(callee, "__name__", type(callee).__name__)
            fail(f"{name}: {error}", "these values are known when the kernel is compiled")
