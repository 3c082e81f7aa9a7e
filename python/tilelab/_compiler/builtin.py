# SPDX-License-Identifier: Apache-2.0
"""Functions of the language as Python objects, made from the compiler's table."""

import inspect

from .. import _core
from .errors import NoBuilderError, UsageError
from .host_functions import FUNCTIONS, TYPES
from .messages import message
from .symbols import TensorType


class Builtin:
    """A function such as T.copy. In a kernel the compiler reads its name; outside, most have no meaning."""

    table = {}

    def __init__(self, name, signature, status, summary):
        self.__name__ = self.__qualname__ = name
        self.signature, self.status, self.summary = signature, status, summary
        Builtin.table[name] = self

    @property
    def __signature__(self):
        """For completion, Shift-Tab and inspect.signature."""
        scope = {}
        exec(f"def f({self.signature}): pass", {"GemmWarpPolicy": None}, scope)
        return inspect.signature(scope["f"])

    @property
    def __doc__(self):
        return document("T." + self.__name__)

    def __call__(self, *args, **kwargs):
        if (host := FUNCTIONS.get(self.__name__)) is not None:
            return host(*args, **kwargs)
        if self.status in ("planned", "refused"):
            raise UsageError(message("builtin-" + self.status, self.__name__, note=self.summary))
        raise NoBuilderError(f"T.{self.__name__}() can only be used inside a kernel (@T.prim_func or @tilelang.jit)")

    def __getitem__(self, index):
        if self.__name__ not in TYPES:
            raise TypeError(f"T.{self.__name__} is a function; call it with parentheses")
        return self(*index) if isinstance(index, tuple) else self(index)

    def __instancecheck__(self, instance):
        """isinstance(x, T.Tensor) is true for annotations; the compiler handles a kernel's own buffers."""
        if self.__name__ not in TYPES:
            raise TypeError(f"T.{self.__name__} is a function; isinstance() takes types")
        return isinstance(instance, TensorType)

    def __repr__(self):
        return f"T.{self.__name__}"

    def __reduce__(self):
        return (_find, (self.__name__,))


def document(name):
    """The entry of docs/language for "T.copy", as text."""
    from . import language_pages, markdown

    return markdown.plain(language_pages.entry(name))


def _find(name):
    return Builtin.table[name]


for _row in _core.builtins():
    if not _row[0].startswith("builtins."):
        Builtin(*_row[:4])
