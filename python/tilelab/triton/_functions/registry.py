# SPDX-License-Identifier: Apache-2.0
"""The table of the language's functions, and what they share."""

import inspect
import sys

from ..._compiler.errors import NoBuilderError
from .._errors import fail
from .._graph import Tensor
from .._types import unwrapped

TABLE = {}
_IGNORED = {"_builder", "_generator", "_semantic"}  # arguments that Triton passes itself


class Builtin:
    """A function of the language. `method`: whether a tensor has it as a method."""

    def __init__(self, name, function, method, host=None):
        self.__name__ = self.__qualname__ = name
        self.__doc__ = function.__doc__
        self.function, self.method, self.host = function, method, host
        parameters = list(inspect.signature(function).parameters.values())[1:]
        self.__signature__ = inspect.Signature(parameters)
        kinds = [one.kind for one in parameters]
        self._most = sys.maxsize if inspect.Parameter.VAR_POSITIONAL in kinds else kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD)
        self._least = sum(one.default is one.empty for one in parameters)

    def call(self, translator, args, keywords):
        keywords = {k: unwrapped(v) for k, v in keywords.items() if k not in _IGNORED}
        if not keywords and self._least <= len(args) <= self._most:  # most calls: as bind, in a tenth of its time
            return self.function(translator, *map(unwrapped, args))
        try:
            bound = self.__signature__.bind(*map(unwrapped, args), **keywords)
        except TypeError as error:
            fail(f"tl.{self.__name__}: {error}", f"call it as tl.{self.__name__}{self.__signature__}")
        return self.function(translator, *bound.args, **bound.kwargs)

    def __call__(self, *args, **kwargs):
        if self.host is not None:
            return self.host(*args, **kwargs)
        raise NoBuilderError(f"tl.{self.__name__} can only be called inside a kernel of @triton.jit")

    def __repr__(self):
        return f"<function triton.language.{self.__name__}>"


def builtin(name=None, method=False, host=None):
    """Registers a function of the language. Its first parameter is the translator."""
    def register(function):
        for one in (name or function.__name__).split():
            TABLE[one] = Builtin(one, function, method, host)
        return function

    return register


def shape_of(translator, shape):
    """A shape as a tuple of constant extents."""
    if isinstance(shape, Tensor) or not isinstance(shape, (tuple, list)):
        shape = (shape,)
    out = tuple(translator.as_static(one, "an extent") for one in shape)
    for one in out:
        if isinstance(one, bool) or not isinstance(one, int) or one < 1:
            fail(f"{one!r} is an extent of a block", "extents are positive integers")
    return out


def axis_of(value, axis):
    """A dimension, counted from 0."""
    rank = len(value.shape)
    if not isinstance(axis, int) or not -rank <= axis < rank:
        fail(f"dimension {axis} of a block with {rank} dimensions", f"use 0 to {rank - 1}")
    return axis % rank


class Range:
    """range(...), tl.range(...) or tl.static_range(...) in a for statement."""

    def __init__(self, bounds, static=False, options=()):
        self.bounds, self.static, self.options = bounds, static, dict(options)


class Method:
    """A function of the language as an attribute of a tensor."""

    def __init__(self, builtin, value):
        self.builtin, self.value = builtin, value
