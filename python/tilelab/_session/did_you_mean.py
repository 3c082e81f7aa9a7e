# SPDX-License-Identifier: Apache-2.0
"""Suggestions appended to an exception's last line: a similar name, a misspelled keyword, a missing token."""

import builtins
import inspect
import keyword
import re
import sys

from .pristine import __builtins__  # unaffected by user code

_USUAL = {"np": "import numpy as np", "T": "import tilelang.language as T", "tilelang": "import tilelang",
          "torch": "import torch", "plt": "import matplotlib.pyplot as plt", "pd": "import pandas as pd"}
_PACKAGES = ("cupy", "einops", "jax", "numba", "pandas", "pycuda", "scipy", "torch", "triton")  # known packages, not misspellings
_CUDA = re.compile(r"\b__(global|device|host|shared|launch_bounds)__\b")
_LONGEST = 20_000  # characters; longer sources are not recompiled to find a repair
_WORD = re.compile(r"[A-Za-z_]\w*")


def nearest(word, candidates):
    """The likely meant candidate or None. Ties go to the same first letter, then to the longest: letters are rarely added."""
    from .. import _core

    known = [c for c in candidates if isinstance(c, str) and c != word and (word[:1] == "_" or c[:1] != "_")]
    return _core.nearest(word, sorted(known, key=lambda c: (c[:1] != word[:1], -len(c), c))) or None


def _frames(error):
    """Frames of the traceback, innermost first."""
    found, trace = [], error.__traceback__
    while trace:
        found.insert(0, trace.tb_frame)
        trace = trace.tb_next
    return found


def _for_name(error):
    """NameError: a similar name, a name of T, or the usual import."""
    frame = next(iter(_frames(error)), None)
    if frame is None or not error.name:
        return None
    known = {**frame.f_globals, **frame.f_locals}
    language, near = known.get("T"), nearest(error.name, known)
    if near is None and inspect.ismodule(language) and hasattr(language, error.name):
        near = "T." + error.name
    near = near or nearest(error.name, vars(builtins))
    if near is None and error.name in _USUAL:
        return f"It is usually defined by: {_USUAL[error.name]}"
    return near and f"Did you mean: '{near}'?"


def _for_attribute(error):
    try:
        near = nearest(error.name, dir(error.obj)) if error.name and error.obj is not None else None
    except Exception:  # a user's __dir__ may fail
        return None
    return near and f"Did you mean: '{near}'?"


def _modules(parent):
    """Names of top-level modules, or those of a package."""
    import pkgutil

    if not parent:
        return {"tilelang", *sys.stdlib_module_names, *(name for name in sys.modules if "." not in name),
                *(found.name for found in pkgutil.iter_modules())}
    package = sys.modules.get(parent)
    return {found.name for found in pkgutil.iter_modules(getattr(package, "__path__", []))} | {
        name[len(parent) + 1:] for name in sys.modules if name.startswith(parent + ".")}


def _for_import(error):
    """ModuleNotFoundError, or ImportError of a name that a module lacks."""
    if not error.name:
        return None
    if asked := re.match(r"cannot import name '(\w+)'", str(error)):
        near = nearest(asked[1], dir(sys.modules.get(error.name)))
        return near and f"Did you mean: '{near}'?"
    parent, _, last = error.name.rpartition(".")
    near = nearest(last, _modules(parent)) if last not in _PACKAGES else None
    if near:
        return f"Did you mean: '{parent + '.' if parent else ''}{near}'?"
    return None if parent else "%pip installs into the running Python, which `tilelab doctor` shows"


def _for_keyword(error):
    """TypeError of a call: the similar parameter."""
    if not (asked := re.match(r"([\w.]+)\(\) got an unexpected keyword argument '(\w+)'", str(error))):
        return None
    name = asked[1].rpartition(".")[2]
    for frame in _frames(error):
        function = frame.f_globals.get(name, frame.f_locals.get(name))
        try:
            near = nearest(asked[2], inspect.signature(function).parameters)
        except (TypeError, ValueError):
            continue
        if near:
            return f"Did you mean: '{near}'?"
    return None


def _compiles(lines, number, text):
    """Whether the source compiles, or fails only after line `number`, with `text` as that line."""
    changed = "\n".join([*lines[:number - 1], text, *lines[number:]])
    try:
        compile(changed, "<changed>", "exec", dont_inherit=True)
    except SyntaxError as error:  # an unfinished cell may end here
        return (error.lineno or 0) > number or error.msg.startswith("expected an indented block")
    except ValueError:
        return False
    return True


def _repairs(text, at):
    """(changed line, suggestion) of possible repairs of a line that does not parse, from column `at`."""
    for found in list(_WORD.finditer(text))[:8]:
        known = [] if keyword.iskeyword(found[0]) else keyword.kwlist
        while near := nearest(found[0], known):
            yield text[:found.start()] + near + text[found.end():], f"Did you mean: '{near}'?"
            known = [word for word in known if word != near]
    left, right = text[:at], text[at:]
    if text.split(" ", 1)[0] == "for" or text.lstrip().startswith("for "):
        yield f"{left}in {right}", "Perhaps you forgot 'in'?"
    if left.rstrip().endswith("]"):
        yield f"{left}= {right}", "Perhaps you forgot '='?"
    head = len(text) - len(text.lstrip())
    if text.rstrip().endswith(":"):
        for word in ("with", "for", "if"):
            yield f"{text[:head]}{word} {text[head:]}", f"Perhaps you forgot '{word}'?"


def _for_other_languages(text, source):
    """Suggestions for CUDA C and for shell commands."""
    import shutil

    if _CUDA.search(source):
        return "This is CUDA C; a kernel here is a Python function below @tilelang.jit: `tilelab puzzle` starts the first one"
    if "<<<" in text:
        return "Call a kernel like a function; T.Kernel(...) sets its grid and threads"
    words = text.split()
    is_line = "\n" not in source.strip("\n") and words and not keyword.iskeyword(words[0])
    return f"Run a system program with !: !{text.strip()}" if is_line and shutil.which(words[0]) else None


def _for_syntax(error, source):
    lines = source.split("\n")
    if error.msg != "invalid syntax" or not 0 < (error.lineno or 0) <= len(lines) or len(source) > _LONGEST:
        return None
    text = lines[error.lineno - 1]
    words = text.split()
    if "\n" not in source.strip("\n"):
        import _tilelab_host as host

        if words and any(words[0] == row["name"] for row in host.commands()):
            return f"Commands start with %: %{text.strip()}"
    if said := _for_other_languages(text, source):
        return said
    for changed, said in _repairs(text, max(0, (error.offset or 1) - 1)):
        if _compiles(lines, error.lineno, changed):
            return said
    return None


def proposal(error, source=""):
    """A suggestion, or None. `source`: the text of a SyntaxError."""
    try:
        if "did you mean" in str(error).lower():
            return None
        if isinstance(error, SyntaxError):
            return _for_syntax(error, source)
        for kind, make in ((NameError, _for_name), (AttributeError, _for_attribute), (ImportError, _for_import), (TypeError, _for_keyword)):
            if isinstance(error, kind):
                return make(error)
    except Exception:  # a suggestion must not raise
        pass
    return None
