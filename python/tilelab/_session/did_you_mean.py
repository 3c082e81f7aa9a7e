# SPDX-License-Identifier: Apache-2.0
"""What an exception's last line may propose: a name that is near to the one that is not there, a keyword
that was misspelt, what was forgotten. Python says some of it at its own prompt only."""

import builtins
import inspect
import keyword
import re
import sys

from .pristine import __builtins__  # a cell may change Python's

_USUAL = {"np": "import numpy as np", "T": "import tilelang.language as T", "tilelang": "import tilelang",
          "torch": "import torch", "plt": "import matplotlib.pyplot as plt", "pd": "import pandas as pd"}
_PACKAGES = ("cupy", "einops", "jax", "numba", "pandas", "pycuda", "scipy", "torch", "triton")  # no misspelt names
_CUDA = re.compile(r"\b__(global|device|host|shared|launch_bounds)__\b")
_LONGEST = 20_000  # characters of a source that is compiled again to see what it lacks
_WORD = re.compile(r"[A-Za-z_]\w*")


def nearest(word, candidates):
    """The candidate that `word` was likely meant to be, or None. Of several as near: one that begins alike, and
    the longest, since letters are dropped and exchanged more often than added."""
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
    """NameError: what is near, what T has of that name, what is usually imported under it."""
    frame = next(iter(_frames(error)), None)
    if frame is None or not error.name:
        return None
    known = {**frame.f_globals, **frame.f_locals}
    language, near = known.get("T"), nearest(error.name, known)
    if near is None and inspect.ismodule(language) and hasattr(language, error.name):
        near = "T." + error.name
    near = near or nearest(error.name, vars(builtins))
    if near is None and error.name in _USUAL:
        return f"It is usually made by: {_USUAL[error.name]}"
    return near and f"Did you mean: '{near}'?"


def _for_attribute(error):
    try:
        near = nearest(error.name, dir(error.obj)) if error.name and error.obj is not None else None
    except Exception:  # a class may answer dir() as it likes
        return None
    return near and f"Did you mean: '{near}'?"


def _modules(parent):
    """Names of modules: those at the top, or those of a package."""
    import pkgutil

    if not parent:
        return {"tilelang", *sys.stdlib_module_names, *(name for name in sys.modules if "." not in name),
                *(found.name for found in pkgutil.iter_modules())}
    package = sys.modules.get(parent)
    return {found.name for found in pkgutil.iter_modules(getattr(package, "__path__", []))} | {
        name[len(parent) + 1:] for name in sys.modules if name.startswith(parent + ".")}


def _for_import(error):
    """ModuleNotFoundError; and ImportError, where a module lacks a name."""
    if not error.name:
        return None
    asked = re.match(r"cannot import name '(\w+)'", str(error))
    if asked:
        near = nearest(asked[1], dir(sys.modules.get(error.name)))
        return near and f"Did you mean: '{near}'?"
    parent, _, last = error.name.rpartition(".")
    near = nearest(last, _modules(parent)) if last not in _PACKAGES else None
    if near:
        return f"Did you mean: '{parent + '.' if parent else ''}{near}'?"
    return None if parent else "%pip installs into the Python that runs here, which `tilelab doctor` shows"


def _for_keyword(error):
    """TypeError of a call: the parameter that is near."""
    asked = re.match(r"([\w.]+)\(\) got an unexpected keyword argument '(\w+)'", str(error))
    if not asked:
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
    """Whether the source does, or fails further down, with `text` as its line `number`."""
    changed = "\n".join([*lines[:number - 1], text, *lines[number:]])
    try:
        compile(changed, "<changed>", "exec", dont_inherit=True)
    except SyntaxError as error:  # a cell that is typed may end here
        return (error.lineno or 0) > number or error.msg.startswith("expected an indented block")
    except ValueError:
        return False
    return True


def _repairs(text, at):
    """(changed line, what to say) for a line that does not parse, from column `at`."""
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
    """What is CUDA C, and what is a line for the system's shell."""
    import shutil

    if _CUDA.search(source):
        return "This is CUDA C; a kernel here is a Python function below @tilelang.jit: `tilelab puzzle` begins with the first"
    if "<<<" in text:
        return "A kernel is called as a function is; its grid and threads are those of T.Kernel(...)"
    words = text.split()
    is_line = "\n" not in source.strip("\n") and words and not keyword.iskeyword(words[0])
    return f"A program of the system runs behind !: !{text.strip()}" if is_line and shutil.which(words[0]) else None


def _for_syntax(error, source):
    lines = source.split("\n")
    if error.msg != "invalid syntax" or not 0 < (error.lineno or 0) <= len(lines) or len(source) > _LONGEST:
        return None
    text = lines[error.lineno - 1]
    words = text.split()
    if "\n" not in source.strip("\n"):
        import _tilelab_host as host

        if words and any(words[0] == row["name"] for row in host.commands()):
            return f"A command begins with %: %{text.strip()}"
    if said := _for_other_languages(text, source):
        return said
    for changed, said in _repairs(text, max(0, (error.offset or 1) - 1)):
        if _compiles(lines, error.lineno, changed):
            return said
    return None


def proposal(error, source=""):
    """A sentence that may help, or None. `source`: the text that a SyntaxError is about."""
    try:
        if "did you mean" in str(error).lower():
            return None
        if isinstance(error, SyntaxError):
            return _for_syntax(error, source)
        for kind, make in ((NameError, _for_name), (AttributeError, _for_attribute), (ImportError, _for_import), (TypeError, _for_keyword)):
            if isinstance(error, kind):
                return make(error)
    except Exception:  # a proposal is never worth a second error
        pass
    return None
