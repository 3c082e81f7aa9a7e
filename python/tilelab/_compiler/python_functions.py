# SPDX-License-Identifier: Apache-2.0
"""Functions of Python without source, in the source form that a kernel inlines where an argument is a dynamic value."""

import builtins
import dataclasses
import functools
import itertools
import math
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


def truth(x=False):
    return not not x


def any_of(items):
    result = False
    for item in items:
        result = result or not not item
    return result


def all_of(items):
    result = True
    for item in items:
        result = result and not not item
    return result


def divided(a, b):
    return a // b, a % b


def product(*lists, repeat=1):
    rows = [()]
    for items in lists * repeat:
        rows = [(*row, item) for row in rows for item in items]
    return rows


def chained(*lists):
    return [item for items in lists for item in items]


def accumulated(items, function=operator.add):
    totals = []
    for item in items:
        totals.append(function(totals[-1], item) if totals else item)
    return totals


def multiplied(items, start=1):
    for item in items:
        start = start * item
    return start


def filtered(function, items):
    return [item for item in items if (item if function is None else function(item))]


def dict_of(items=(), **named):
    result = {}
    result.update(items, **named)
    return result


def replaced(instance, **changes):
    given = {field.name: getattr(instance, field.name) for field in dataclasses.fields(type(instance)) if field.init}
    return type(instance)(**{**given, **changes})


def as_tuple(instance):
    return tuple([getattr(instance, field.name) for field in dataclasses.fields(type(instance))])


def as_dict(instance):
    return {field.name: getattr(instance, field.name) for field in dataclasses.fields(type(instance))}


class Methods:
    """Those of list, tuple and dict, by what the compiler does itself: items, slices, `del`, append, items, keys and values."""

    def list_extend(self, items): self += items
    def list_insert(self, index, item): self[index:index] = [item]
    def list_clear(self): self[:] = []
    def list_copy(self): return self[:]
    def list_reverse(self): self[:] = self[::-1]

    def list_pop(self, index=-1):
        item = self[index]
        del self[index]
        return item

    def dict_get(self, key, default=None): return self[key] if key in self else default
    def dict_copy(self): return {**self}

    def dict_clear(self):
        for key in self.keys():
            del self[key]

    def dict_setdefault(self, key, default=None):
        if key not in self:
            self[key] = default
        return self[key]

    def dict_pop(self, key, *default):
        if key not in self and default:
            return default[0]
        value = self[key]
        del self[key]
        return value

    def dict_update(self, *others, **named):
        for other in (*others, named):
            for key, value in other.items() if isinstance(other, dict) else other:
                self[key] = value


_OPERATORS = (add, sub, mul, truediv, floordiv, mod, lshift, rshift, and_, or_, xor, eq, ne, lt, le, gt, ge, neg, pos, invert, not_, getitem)
_SOURCES = {id(getattr(operator, f.__name__)): f for f in _OPERATORS}
_SOURCES |= {id(operator.pow): power, id(operator.abs): absolute, id(builtins.pow): power, id(builtins.map): mapped,
             id(functools.reduce): reduce, id(bool): truth, id(any): any_of, id(all): all_of, id(divmod): divided, id(filter): filtered,
             id(dict): dict_of, id(itertools.product): product, id(itertools.chain): chained, id(itertools.accumulate): accumulated,
             id(math.prod): multiplied, id(dataclasses.replace): replaced, id(dataclasses.astuple): as_tuple, id(dataclasses.asdict): as_dict}


def source_of(callee):
    """The function here that does what `callee` does, or None."""
    owner = type(getattr(callee, "__self__", None))
    if owner in (list, dict) and not hasattr(callee, "__code__"):
        return vars(Methods).get(f"{owner.__name__}_{callee.__name__}")
    return _SOURCES.get(id(callee))
