# SPDX-License-Identifier: Apache-2.0
"""Functions of Python without source, in the source form that a kernel inlines where an argument is a dynamic value."""

import builtins
import functools
import operator


def add(a, b): return a + b
def sub(a, b): return a - b
def mul(a, b): return a * b
def truediv(a, b): return a / b
def floordiv(a, b): return a // b
def mod(a, b): return a % b
def power(a, b): return a ** b
def lshift(a, b): return a << b
def rshift(a, b): return a >> b
def and_(a, b): return a & b
def or_(a, b): return a | b
def xor(a, b): return a ^ b
def eq(a, b): return a == b
def ne(a, b): return a != b
def lt(a, b): return a < b
def le(a, b): return a <= b
def gt(a, b): return a > b
def ge(a, b): return a >= b
def neg(a): return -a
def pos(a): return +a
def invert(a): return ~a
def absolute(a): return abs(a)
def not_(a): return not a
def getitem(a, index): return a[index]


def reduce(function, items, *initial):
    values = [*initial, *items]
    result = values[0]
    for value in values[1:]:
        result = function(result, value)
    return result


def mapped(function, *lists):
    return [function(*items) for items in zip(*lists)]


_OPERATORS = (add, sub, mul, truediv, floordiv, mod, lshift, rshift, and_, or_, xor, eq, ne, lt, le, gt, ge, neg, pos, invert, not_, getitem)
_SOURCES = {id(getattr(operator, f.__name__)): f for f in _OPERATORS}
_SOURCES |= {id(operator.pow): power, id(operator.abs): absolute, id(builtins.pow): power, id(builtins.map): mapped,
             id(functools.reduce): reduce}


def source_of(callee):
    """The function here that does what `callee` does, or None."""
    return _SOURCES.get(id(callee))
