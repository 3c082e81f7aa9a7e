# SPDX-License-Identifier: Apache-2.0
"""%report: writes a script that rebuilds a failing call, and verifies once that it fails."""

import base64
import glob
import io
import json
import os
import runpy
import sys
import textwrap
import zlib

from .. import _core
from .._compiler.state_files import replace_file, state_folder
from .._kernel.arguments import describe
from .._kernel.registry import known, registry
from .._kernel.shown import Shown
from . import check
from .memory import dense

_LISTED = 64  # at most so many elements are written as a list
_PACKED = 20000  # at most so many characters are written as packed bytes
_KEPT = 10  # kept reports of internal errors
_SIMPLE = (int, float, str, bool, type(None))


# ---- the kernel

def _own_source(entry):
    """The Python source that makes the kernel, or None if it is not self-contained."""
    impl = entry.impl
    if impl is None or impl.func.__code__.co_freevars:
        return None
    import inspect

    try:
        text = textwrap.dedent(inspect.getsource(impl.func))
    except (OSError, TypeError):
        return None
    lines = []
    for name in sorted(_names_of(impl.func.__code__) & set(impl.func.__globals__)):
        value = impl.func.__globals__[name]
        if name in ("tilelang", "T", "np"):
            continue
        if isinstance(value, type(sys)):
            lines.append(f"import {value.__name__} as {name}")
        elif isinstance(value, _SIMPLE):
            lines.append(f"{name} = {value!r}")
        else:
            return None
    constants = ", ".join(f"{name}={value!r}" for name, value in entry.constants.items())
    make = ["", "", "def make():", f"    return {impl.__name__}.compile({constants})"]
    return "\n".join([*lines, *["", ""] * bool(lines), text.rstrip(), *make])


def _names_of(code):
    names = set(code.co_names)
    for constant in code.co_consts:
        if hasattr(constant, "co_names"):
            names |= _names_of(constant)
    return names


def _as_ir(func):
    text = func.text(spans=True).replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return f'IR = """\\\n{text}"""\n\n\ndef make():\n    return kernel_of_ir(IR)'


# ---- the inputs

class Inputs:
    """Source text for the arguments of a call; `files`: {name: bytes} of what is too large for the script."""

    def __init__(self, kernel, values, name):
        self.described, self.arrays, self.views = describe(kernel, values)
        made = () if len(values) == len(kernel._raw_params) else kernel._outputs
        self.params = [i for i in range(len(kernel._raw_params)) if i not in made]
        self.kernel, self.name, self.files = kernel, name, {}

    def lines(self, seeded):
        return [f"    {self._one(i, seeded)},  # {self.kernel._raw_params[i]['name']}" for i in self.params]

    def _one(self, i, seeded):
        described = self.described[i]
        if len(described) == 2:
            return repr(described[1])
        dtype, shape = self.kernel._raw_params[i]["dtype"], tuple(described[2])
        content = dense(described)
        if len(content) <= _LISTED * 4 and dtype in ("float32", "float64", "int32", "int64"):
            import numpy

            listed = numpy.frombuffer(content, dtype)
            if numpy.isfinite(listed).all():
                return f"np.array({listed.reshape(shape).tolist()}, dtype=\"{dtype}\")"
        if seeded:
            if limits := self._limits(dtype, content):
                return f"replay.random(\"{dtype}\", {shape}, {limits[0]!r}, {limits[1]!r})"
        text = base64.b85encode(zlib.compress(content, 9)).decode()
        if len(text) <= _PACKED:
            return f"replay.packed(\"{dtype}\", {shape}, {text!r})"
        file = f"{self.name}-{self.kernel._raw_params[i]['name']}.bin"
        self.files[file] = zlib.compress(content)
        return f"replay.stored(\"{dtype}\", {shape}, {file!r}, __file__)"

    @staticmethod
    def _limits(dtype, content):
        """(minimum, maximum) if all elements are finite numbers of a NumPy dtype."""
        import numpy

        try:
            numbers = numpy.frombuffer(content, dtype)
        except TypeError:
            return None
        if numbers.size == 0 or not numpy.isfinite(numbers).all():
            return None
        kind = float if numbers.dtype.kind == "f" else int
        return kind(numbers.min()), kind(numbers.max())


# ---- the script

def _script(title, source, values, expected):
    title = title.replace("\\", "\\\\").replace('"""', "'''")
    of_ir = "from tilelab.jit import kernel_of_ir\n" if "kernel_of_ir(IR)" in source else ""
    return f'''#!/usr/bin/env python3
"""{title}
Written by tilelab {sys.modules["tilelab"].__version__}. Run it with python3 or tilelab: it exits
with status 1 while the failure occurs, otherwise with 0."""

import sys

import numpy as np
import tilelab as tilelang
import tilelab.language as T
from tilelab._tools import replay
{of_ir}

{source}


values = [
{chr(10).join(values)}
]

if __name__ == "__main__":
    sys.exit(replay.run(make, values, {expected!r}))
'''


def _fails(path):
    """(whether the script exits with status 1, its output)."""
    before, out = len(registry), io.StringIO()
    stdout, sys.stdout = sys.stdout, out
    try:
        runpy.run_path(path, run_name="__main__")
        return False, out.getvalue()
    except SystemExit as end:
        return end.code == 1, out.getvalue()
    except Exception as error:  # the source depends on more than the script
        return False, str(error)
    finally:
        sys.stdout = stdout
        del registry[before:]


def _free(path):
    """The path, with a number appended if it exists."""
    stem, ending = os.path.splitext(path)
    number, out = 1, path
    while os.path.exists(out):
        number += 1
        out = f"{stem}-{number}{ending}"
    return out


def write(kernel, values, path, title, expected):
    """Writes the shortest script that reproduces the failure: (path, extra files, output)."""
    entry = known(kernel)
    inputs = Inputs(kernel, values, os.path.splitext(os.path.basename(path))[0])
    sources = [source for source in (_own_source(entry), _as_ir(kernel._func)) if source]
    for source in sources:
        for seeded in (True, False):
            inputs.files.clear()
            text = _script(title, source, inputs.lines(seeded), expected)
            if seeded and "replay.random(" not in text:
                continue
            for name, content in inputs.files.items():
                with open(os.path.join(os.path.dirname(os.path.abspath(path)), name), "wb") as file:
                    file.write(content)
            with open(path, "w") as file:
                file.write(text)
            fails, said = _fails(path)
            if fails:
                return path, list(inputs.files), said
    raise ValueError(f"{path} is written, but does not reproduce the failure: {said.splitlines()[-1] if said else 'no output'}")


def findings_of(kernel, values):
    """([findings], their text, memory) of a call with every detector on."""
    described, *memory = describe(kernel, values)
    runs = check.run_levels(kernel, described)
    if all_ := check.found(runs):
        return all_, _core.views.findings(runs)["text"], memory
    origin = check.origins(runs)
    return origin, str(check.report(kernel, runs, known(kernel).full_name)) + "\n" if origin else "", memory


class Report(Shown):
    """A written report: .path, .files, .kinds."""

    def __init__(self, kernel, values, path=""):
        entry = known(kernel)
        found, text, _ = findings_of(kernel, values)
        if not found:
            raise ValueError(f"{entry.full_name} is clean with these arguments: nothing to report")
        self.kinds = sorted({finding["kind"] for finding in found})
        lines = sorted({s["span"]["line"] for f in found for s in f["where"] if s["span"]["line"]})
        title = f"{entry.full_name}: {', '.join(self.kinds)}" + (f" in line {', '.join(map(str, lines))}" if lines else "")
        path = path or _free(f"report-{entry.name}-{self.kinds[0]}.py")
        self.path, self.files, said = write(kernel, values, path, title, self.kinds)
        data = {"kernel": entry.full_name, "path": self.path, "files": self.files, "findings": self.kinds, "lines": lines}
        pieces = [(f"{title}\n", "bad"), (f"written: {self.path}", "strong"),
                  (f", with {', '.join(self.files)}\n" if self.files else "\n", ""),
                  ("it was run once and fails; it exits with 0 when the failure is fixed\n", "dim")]
        super().__init__(_core.views.rich_text(pieces, json.dumps(data)))


# ---- crashes

def keep_crash(name, text):
    """Saves the report of an internal error; returns the path, or "" if it can't be written."""
    try:
        folder = state_folder("reports")
        kept = sorted(glob.glob(os.path.join(folder, "*.py")), key=os.path.getmtime)
        for old in kept[:max(0, len(kept) - _KEPT + 1)]:
            os.remove(old)
        path = _free(os.path.join(folder, f"internal-error-{name}.py"))
        replace_file(path, text.encode())
        return path
    except OSError:
        return ""


def crashed(kernel, error, values):
    """Writes a script on an internal error and names it in the message. `values`: the arguments; None for a compilation."""
    title = str(error).splitlines()[0]
    lines = [] if values is None else Inputs(kernel, values, "input").lines(True)
    if path := keep_crash(kernel.name, _script(title, _as_ir(kernel._func), lines, ["internal error"])):
        error.args = (f"{error}\nThis is a bug of tilelab. A script that reproduces it is in {path}",)
