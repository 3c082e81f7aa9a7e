# SPDX-License-Identifier: Apache-2.0
"""`tilelab compile` and `tilelab check` on Python files."""

import json
import re
import runpy
import sys
import warnings

from .._compiler import settings
from .._compiler.kernel_warnings import TilelabWarning
from .._gpu.targets import target_name
from .._kernel import kernel, watched
from .._kernel.registry import known, named, registry
from .._session.error import print_error
from .._session.exits import exit_status
from .._tools import check
from ..jit import JITImpl, JITKernel, PrimFunc
from .kernels import kernel_of


class _Problem(Exception):
    pass


def _constants(words):
    out = {}
    for word in words:
        name, _, value = word.partition("=")
        try:
            out[name] = eval(value, {})
        except Exception:
            out[name] = value
    return out


def _shape_words(shape):
    """The words of a shape, "M=64, N=64", and the ending of its kernels' names, "_M64_N64"."""
    words = shape.replace(",", " ").split()
    if wrong := [word for word in words if not word.partition("=")[0].isidentifier() or "=" not in word]:
        raise _Problem(f"shape {shape!r}: {wrong[0]} is not NAME=VALUE")
    return words, "".join("_" + re.sub(r"\W", "_", word.replace("=", "")) for word in words)


def kernel_texts(path, name, words, shapes, target):
    """{"texts", "kernels": their names without a shape, "said": diagnostics} for a Python file's kernel, by default all it compiles or
    its jit functions; or {"problem", "status"}. `shapes`: the kernels once for each, whose words they add to their names."""
    try:
        return _texts(path, name, words, shapes, target)
    except KeyboardInterrupt:
        raise
    except SystemExit as error:
        return {"problem": f"{path} ended with exit({error.code!r}) before its kernels were compiled", "status": exit_status(error) or 1}
    except BaseException as error:
        print_error(error)
        return {"problem": f"{path} did not finish", "status": 1}
    finally:
        sys.stdout.flush()


def _texts(path, name, words, shapes, target):
    if target:
        settings.target = target
    warnings.simplefilter("ignore", TilelabWarning)  # reported by the compiler that reads the texts
    names = runpy.run_path(path, run_name="__tilelab__")
    try:
        found = []
        for more, ending in map(_shape_words, shapes) if shapes else [([], "")]:
            found += [(entry, ending) for entry in _compiled(path, name, names, _constants([*words, *more]))]
    except _Problem as problem:
        return {"problem": str(problem), "texts": [], "said": ""}
    if not found:
        return {"problem": f"{path} has no kernel", "texts": [], "said": ""}
    texts, said = [], []
    form = "ansi" if sys.stderr.isatty() else "text"
    for entry, ending in found:
        func = entry.kernel._func.changed(name=entry.name + ending, target=target_name(target) if target else None)
        texts.append(func.text(True))
        said += [d[form] for d in func.said]
    return {"problem": "", "texts": texts, "kernels": [entry.name for entry, _ in found], "said": "\n".join(dict.fromkeys(said))}


def _compiled(path, name, names, constants):
    """The kernel of that name, or all, compiled for the constants."""
    if not name:
        return [kernel_of(k, names, constants, _Problem) for k in _jit_names(names)] or list(registry)
    if name.isidentifier() and name not in names and not named(name):
        there = _jit_names(names) + sorted({entry.name for entry in registry})
        raise _Problem(f"no kernel {name} in {path}" + (
            f"; there are {', '.join(dict.fromkeys(there))}" if there else ", and no other"))
    return [kernel_of(name, names, constants, _Problem)]


def _jit_names(names):
    return [n for n, v in names.items() if isinstance(v, (JITKernel, JITImpl, PrimFunc))]


_reports = []
# Verdicts that are not errors: includes blocks that were not run for lack of time, and outputs that keep some of the caller's values. NaN
# and infinity that no input has are errors.
GOOD = ("clean", "not checked", "partly checked", "not all written")


def watch_everything(every_block=False):
    """Runs every later kernel with all detectors on; collects the reports."""
    seconds = 0 if every_block else check.SECONDS

    def launch(made, described):
        name = known(made).full_name
        _reports.append((name, check.report(made, check.run_levels(made, described, seconds=seconds), name)._made))
        # The program continues with the results of the kernel: one run shows the findings of all kernels.
        made._runner().run(described)

    kernel.launcher = launch


def report():
    """Prints each report once; returns 1 if there was a finding."""
    dirty = False
    coloured = sys.stdout.isatty()
    for text in dict.fromkeys(made["ansi" if coloured else "text"] for _, made in _reports):
        sys.stdout.write(text)
    for _, made in _reports:
        dirty |= json.loads(made["json"])["verdict"] not in GOOD
    ran = {name for name, _ in _reports}
    for entry in registry:
        if entry.full_name not in ran:  # never called
            made = watched.report(entry.kernel, entry.full_name)
            sys.stdout.write(made["ansi" if coloured else "text"])
            dirty |= bool(json.loads(made["json"])["warnings"])
    if not _reports and not registry:
        sys.stdout.write("no kernel ran\n")
    sys.stdout.flush()
    return int(dirty)
