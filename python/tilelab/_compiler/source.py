# SPDX-License-Identifier: Apache-2.0
"""The source of a function as the compiler's syntax tree: from a file, a cell, an exec'd string or `python -c`."""

import ast
import builtins
import contextlib
import gc
import linecache
import sys
import threading

from .. import _core

_DECORATORS = tuple(f"{__package__.rpartition('.')[0]}.{room}" for room in ("_compiler", "autotuner", "jit", "language"))
_files = {}  # filename -> (text, file id, {(first line, name): unconverted node})
_known = {}  # id of a code object -> Known
_parsing = threading.Lock()
_ATTEMPTS = 4


class SourceError(OSError):
    """The source of a kernel is not available."""


class Scope:
    """Names that a function's source does not bind, resolved as Python does."""

    __slots__ = ("function", "cells", "locals")

    def __init__(self, function, local_names=None):
        self.function = function
        self.cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
        self.locals = local_names

    def lookup(self, name):
        if (cell := self.cells.get(name)) is not None:
            try:
                return cell.cell_contents
            except ValueError:
                raise KeyError(name) from None
        if self.locals is not None and name in self.locals:
            return self.locals[name]
        found = self.function.__globals__
        return found[name] if name in found else vars(builtins)[name]


def caller_locals():
    """Local names where a decorator of tilelab is used, for annotations (Python evaluates them there); None at module level."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_DECORATORS):
        frame = frame.f_back
    return dict(frame.f_locals) if frame.f_locals is not frame.f_globals else None


def capture(function, local_names=None):
    """(tree, scope) of a Python function."""
    return tree_of(function), Scope(function, local_names)


@contextlib.contextmanager
def uncollected():
    """Disables garbage collection: a tree of `ast` has no cycles, and scanning it takes longer than building it."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


class Known:
    """A function that was read once: its file may change later."""

    __slots__ = ("code", "tree", "seen")


def tree_of(function):
    """The compiler's tree of a Python function or lambda."""
    return known(function).tree


def identity(function):
    """Identifies a function's source independent of its location."""
    return function.__name__, repr(tree_of(function))


def known(function, look=None):
    """The cached source of a function and the result of `look` on its `ast` node, which is dropped: it is ten times as large."""
    code = function.__code__
    found = _known.get(id(code))
    if found is not None and (look is None or found.seen is not None):
        return found
    with uncollected():
        text, file_id, nodes = _parsed(code)
        if (node := _taken(nodes, code) or _taken(_nodes(text), code)) is None:
            raise SourceError(f"the source of `{function.__name__}` in {code.co_filename} has changed "
                              "since it was run; run it again")
        found = Known()
        found.code, found.tree = code, _core.convert(node, file_id)
        found.seen = look and look(node)
        del node
    _known[id(code)] = found
    return found


def _parsed(code):
    name = code.co_filename
    text = _text(code)
    if _files.get(name, ("",))[0] != text:
        _files[name] = text, _core.add_source(shown_name(name), text), _nodes(text)
    return _files[name]


def _key(code):
    return code.co_firstlineno, code.co_name


def _taken(nodes, code):
    """Removes and returns the node of a code object, or None."""
    if code.co_name != "<lambda>":
        return nodes.pop(_key(code), None)
    several = nodes.get(_key(code), [])
    if (node := _lambda_of(code, several)) is not None:
        several.remove(node)
    return node


def _lambda_of(code, several):
    """The innermost of a line's lambdas around the code. Before Python 3.11 code has no columns: the first one."""
    if not hasattr(code, "co_positions"):
        return several[0] if several else None
    places = [((line, first), (end, last)) for line, end, first, last in code.co_positions() if last]
    begin, end = min((p[0] for p in places), default=(0, 0)), max((p[1] for p in places), default=(0, 0))

    def around(node):
        body = node.body
        return (body.lineno, body.col_offset) <= begin and end <= (body.end_lineno, body.end_col_offset)
    fitting = [node for node in several if around(node)]
    return max(fitting or several, key=lambda node: (node.body.lineno, node.body.col_offset), default=None)


def _nodes(text):
    """{(first line, name): node} of all functions in a text; a list of nodes for lambdas."""
    nodes = {}
    for node in _functions(_module_of(text), "lambda" in text):
        if isinstance(node, ast.Lambda):
            nodes.setdefault((node.lineno, "<lambda>"), []).append(node)
        else:
            first = min([d.lineno for d in node.decorator_list] + [node.lineno])
            nodes[first, node.name] = node
    return nodes


def _functions(module, lambdas):
    """The functions of a module. Walks expressions, most of the tree, only for lambdas."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    if lambdas:
        yield from (node for node in ast.walk(module) if isinstance(node, kinds))
        return
    todo = [module]
    while todo:
        node = todo.pop()
        if isinstance(node, kinds):
            yield node
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            todo += getattr(node, field, ())


def shown_name(name):
    return name[1:-1] if name.startswith("<") and name.endswith(">") else name


def known_text(name):
    """The text of a file with kernels; None for others."""
    known = _files.get(name)
    return known[0] if known else None


def parsed(text):
    """The tree of Python text, also where other threads parse: CPython 3.11 counts the depth of a tree that it makes for all threads at once, and
    raises SystemError for one that was disturbed (its issue 106905)."""
    for _ in range(_ATTEMPTS - 1):
        with _parsing, contextlib.suppress(SystemError):
            return ast.parse(text)
    return ast.parse(text)


def _module_of(text):
    try:
        return parsed(text)
    except SyntaxError:  # a cell that has commands next to the kernel
        from .cell_syntax import python_of

        return parsed(python_of(text))


def _text(code):
    name = code.co_filename
    if not name.startswith("<"):
        linecache.checkcache(name)
    lines = linecache.getlines(name)
    if lines and (not name.startswith("<") or _defines("".join(lines), code)):
        return "".join(lines)
    for text in _candidates(name):
        if _defines(text, code):
            return text
    raise SourceError(f"the source of `{code.co_name}` ({name}, line {code.co_firstlineno}) is not available: put it in "
                      "a file or a cell, or register the text in linecache before exec")


def _candidates(name):
    """Texts that may come from `python -c`, or from an exec of a function that is still running."""
    arguments = getattr(sys, "orig_argv", [])
    for i, argument in enumerate(arguments[:-1]):
        if argument == "-c" or (argument.startswith("-") and argument.endswith("c")):
            yield arguments[i + 1]
    frame = sys._getframe(2)
    while frame is not None:
        for names in (frame.f_locals, frame.f_globals):
            for value in list(names.values()):
                if isinstance(value, str) and "def " in value:
                    yield value
        for value in frame.f_code.co_consts:
            if isinstance(value, str) and "def " in value:
                yield value
        frame = frame.f_back


def _defines(text, code):
    """Whether compiling `text` gives exactly this code."""
    try:
        made = compile(text, code.co_filename, "exec", code.co_flags & 0x1FE0000, True)
    except (SyntaxError, ValueError):
        return False
    todo = [made]
    while todo:
        one = todo.pop()
        if one == code:
            return True
        todo += [c for c in one.co_consts if hasattr(c, "co_code")]
    return False
