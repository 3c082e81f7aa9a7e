# SPDX-License-Identifier: Apache-2.0
"""Reads files, and registers the text of cells, `-c` code and exec'd strings under unique names, for inspect.getsource and tracebacks."""

import builtins
import errno
import sys

from .imports import after_import
from .pristine import __builtins__  # unaffected by user code

FUTURE_BITS = 0x1FE0000  # every CO_FUTURE_ flag of Python 3.9 to 3.13
_MOST = 256 << 20  # bytes of a file of source
EXEC_LIMIT = 1000  # remembered exec'd texts; libraries may create any number

_texts = {}  # name -> text with a final newline; copied to linecache once that is imported
_exec_names = []
_exec_count = 0
_plain_exec = builtins.exec


def read_bytes(path):
    """The bytes of a file, which may be a pipe; OSError for an endless one."""
    found = bytearray()
    with open(path, "rb", buffering=0) as file:
        # In parts, between which an interrupt ends the loop.
        while part := file.read(1 << 20):
            found += part
            if len(found) > _MOST:
                raise OSError(errno.EFBIG, f"larger than {_MOST >> 20} MB", path)
    return bytes(found)


def register(name, text):
    """Registers `text` as the source of a pseudo file and returns a unique name, so that old functions keep their source."""
    unique, n = name, 1
    text = text if text.endswith("\n") else text + "\n"
    while _texts.get(unique, text) != text:
        n += 1
        unique = f"{name}.{n}"
    _texts[unique] = text
    if (linecache := sys.modules.get("linecache")) is not None:
        _add_to_linecache(linecache, unique)
    return unique


def _add_to_linecache(linecache, name):
    text = _texts[name]
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)


def _fill_linecache(linecache):
    for name in list(_texts):
        _add_to_linecache(linecache, name)


def _forget(name):
    _texts.pop(name, None)
    if (linecache := sys.modules.get("linecache")) is not None:
        linecache.cache.pop(name, None)


def source_of(name):
    """The registered text of `name`, or None."""
    return _texts.get(name)


def _exec_with_source(source, globals=None, locals=None, /, *, closure=None):
    global _exec_count
    caller = sys._getframe(1)
    if globals is None:
        globals = caller.f_globals
        if locals is None:
            locals = caller.f_locals
    if isinstance(source, str) and "def " in source:
        _exec_count += 1
        name = register(f"<exec {_exec_count}>", source)
        _exec_names.append(name)
        if len(_exec_names) > EXEC_LIMIT:
            _forget(_exec_names.pop(0))
        flags = caller.f_code.co_flags & FUTURE_BITS
        source = compile(source, name, "exec", flags, True)
    if closure is not None:
        return _plain_exec(source, globals, locals, closure=closure)
    return _plain_exec(source, globals, locals)


def record_exec():
    """Patches exec() to remember the text of functions; it is otherwise unchanged."""
    # Importing linecache loads tokenize and re, a fifth of the startup time.
    after_import("linecache", _fill_linecache)
    _exec_with_source.__name__ = _exec_with_source.__qualname__ = "exec"
    _exec_with_source.__module__ = "builtins"  # where pickle finds it
    _exec_with_source.__doc__ = _plain_exec.__doc__
    builtins.exec = _exec_with_source
