# SPDX-License-Identifier: Apache-2.0
"""get_ipython().display_formatter: functions that notebooks and libraries register for their types."""

import sys

from .repr_methods import METHODS
from .pristine import __builtins__  # unaffected by user code

_NOTHING = object()


class Formatter:
    """Functions of one kind of output, by type; they precede an object's own method."""

    enabled = True

    def __init__(self):
        self.type_printers, self.deferred_printers = {}, {}

    def for_type(self, kind, function=None):
        """Registers a function of the object, or none; returns the previous one."""
        if isinstance(kind, str):
            return self.for_type_by_name(*kind.rpartition(".")[::2], function)
        before = self.type_printers.get(kind) or self.deferred_printers.get((kind.__module__, kind.__name__))
        if function is not None:
            self.type_printers[kind] = function
        return before

    def for_type_by_name(self, module, name, function=None):
        """The same for a type whose module may not be imported yet."""
        before = self.deferred_printers.get((module, name))
        if function is not None:
            self.deferred_printers[module, name] = function
        return before

    def pop(self, kind, default=_NOTHING):
        key = tuple(kind.rpartition(".")[::2]) if isinstance(kind, str) else (kind.__module__, kind.__name__)
        found = self.type_printers.pop(kind, None) or self.deferred_printers.pop(key, None)
        if found is None and default is _NOTHING:
            raise KeyError(f"no function is registered for {kind}")
        return default if found is None else found

    def lookup_by_type(self, kind):
        for one in kind.__mro__:
            found = self.type_printers.get(one) or self.deferred_printers.get((one.__module__, one.__qualname__))
            if found is not None:
                return found
        raise KeyError(f"no function is registered for {kind}")

    def lookup(self, value):
        return self.lookup_by_type(type(value))

    def of(self, value):
        """The function for a value, or None."""
        if not self.type_printers and not self.deferred_printers:
            return None
        try:
            return self.lookup(value)
        except KeyError:
            return None


class DisplayFormatter:
    def __init__(self):
        self.formatters = {mime: Formatter() for mime in ("text/plain", *METHODS)}
        self.ipython_display_formatter, self.mimebundle_formatter = Formatter(), Formatter()
        self.active_types = list(self.formatters)

    def format(self, value, include=None, exclude=None):
        return sys.modules["tilelab._session.display"].mime_bundle(value, include, exclude)


class _Page:
    """The pretty-printer that a _repr_pretty_ writes to; it breaks no lines itself."""

    def __init__(self, plain_text):
        self.parts, self.indentation, self.plain_text = [], 0, plain_text

    def text(self, text):
        self.parts.append(str(text))

    def breakable(self, sep=" "):
        self.parts.append(sep)

    def break_(self):
        self.parts.append("\n" + " " * self.indentation)

    def begin_group(self, indent=0, open=""):
        self.parts.append(open)
        self.indentation += indent

    def end_group(self, dedent=0, close=""):
        self.indentation -= dedent
        self.parts.append(close)

    def group(self, indent=0, open="", close=""):
        import contextlib

        @contextlib.contextmanager
        def inside():
            self.begin_group(indent, open)
            yield
            self.end_group(indent, close)

        return inside()

    def indent(self, indent):
        return self.group(indent)

    def pretty(self, value):
        self.parts.append(self.plain_text(value))


def pretty(method, value, plain_text):
    """The text of a function of (value, page, cycle): what it writes, or its result."""
    page = _Page(plain_text)
    given = method(value, page, False)
    return "".join(page.parts) or str(given)


registered = DisplayFormatter()


def function_for(mime, value):
    return registered.formatters[mime].of(value)
