# SPDX-License-Identifier: Apache-2.0
"""Resolves the kernel argument of a command: first as a Python expression, then as a kernel's name."""

import inspect
import sys

from .. import _core
from .._gpu.targets import target_name
from .._kernel.registry import alike, known, named, parts_of, registry
from ..jit import JITImpl, JITKernel, PrimFunc, compile
from ..jit._impl import NO_METHOD
from ..jit._prim_func import elaborate


_OPTIONS = ("after", "level", "target", "from", "to", "element", "thread", "address")


def option_meant(name):
    """A hint for NAME=VALUE where commands have an option of that name."""
    return f"; the option is --{name}" if name in _OPTIONS else ""


def value_of(text, names, failed):
    """The value of an argument that is a Python expression; None if it is none of known names. Other exceptions become `failed`."""
    if "#" in text:  # add#1: Python would read the rest as a comment
        return None
    try:
        return eval(text, names)
    except (NameError, AttributeError, SyntaxError, KeyError):
        return None
    except Exception as error:
        if hasattr(error, "diagnostics"):
            raise
        what = "" if isinstance(error, (TypeError, ValueError)) else f"{type(error).__name__}: "
        raise failed(f"{text}: {what}{error}") from None


def _needs(impl):
    """Names of the compile-time values that a jit function still needs."""
    empty = inspect.Parameter.empty
    names = [n for n, p in impl.signature.parameters.items() if p.default is empty and n not in impl._runtime]
    if impl.mode == "eager" and not names:
        made = elaborate(impl.func, impl.locals, [], name=impl.__name__,
                         signature_only=True,
                         arguments={n: p.default for n, p in impl.signature.parameters.items()
                                    if p.default is not empty and n not in impl._runtime})
        names = list(made["constants"])
    return names


def _specialised(impl, text, constants, error):
    made = [e for e in registry if e.impl is impl and not e.retargeted]
    if made and not constants:
        return made[-1]
    wanted = _needs(impl)
    absent = [name for name in wanted if name not in constants]
    if "self" in absent:
        raise error(f"{text}: {NO_METHOD}")
    if absent:
        said = {name: constants.get(name, "...") for name in wanted}
        raise error(f"{text} has no value{'s' * (len(absent) > 1)} yet for {', '.join(absent)}: "
                    f"write {text} " + " ".join(f"{name}={value}" for name, value in said.items()))
    return known(impl.compile(**constants))


def _latest(text, found):
    """The latest matching entry; a note reports the choice if the constants match several."""
    chosen, wanted = found[-1], (parts_of(text) or ("",) * 5)[2]
    others = {tuple(e.explicit_constants.items()) for e in found}
    if wanted and len(others) > 1 and len(chosen.explicit_constants) > len(wanted):
        note = f"note: {text} is {chosen.full_name}, the latest of {len(others)} matches"
        print(_core.views.hanging(note).rstrip("\n"), file=sys.stderr)
    return chosen


def kernel_of(text, names, constants, error):
    """The Known that `text` means: first as a Python expression, then as a kernel's name."""
    value = value_of(text, names, error)
    if isinstance(value, JITImpl):
        return _specialised(value, text, constants, error)
    if constants:
        name = next(iter(constants))
        raise error(f"{name}= has no effect: {text} is not a jit function with unset values{option_meant(name)}")
    if isinstance(value, JITKernel):
        return known(value)
    if isinstance(value, PrimFunc):
        for entry in reversed(registry):
            if entry.kernel.made_of is value:
                return entry
        return known(compile(value))
    if found := named(text):
        return _latest(text, found)
    if made := _value_for(text, names, error) or _compiled_for(text, names, error):
        return made
    if value is not None:
        raise error(f"{text} is {type(value).__name__}, not a kernel")
    if text in _core.views.pass_names():
        raise error(f"{text} is a pass, not a kernel: use it with --after, or with --from and --to of %diff")
    kernel, dot, buffer = text.rpartition(".")
    if dot and (isinstance(value_of(kernel, names, error), (JITImpl, JITKernel, PrimFunc)) or named(kernel)):
        raise error(f"{buffer} of the kernel {kernel} is not a kernel; %layout takes buffers")
    no_kernel(text, error)


def _value_for(text, names, error):
    """EXPRESSION@TARGET of a kernel value; None for other texts."""
    base, at, target = text.rpartition("@")
    if not at or not isinstance(value_of(base, names, error), (JITKernel, PrimFunc)):
        return None
    return _for_target(kernel_of(base, names, {}, error), target, error)


def _for_target(entry, target, error):
    try:
        return entry.for_target(target_name(target))
    except ValueError as problem:
        if hasattr(problem, "diagnostics"):
            raise
        raise error(str(problem)) from None


def _compiled_for(text, names, error):
    """Compiles a kernel whose name gives a new target or new constants; None if no kernel has that name."""
    name, version, wanted, target, variant = parts_of(text) or ("",) * 5
    of_name = f"{name}#{version}" if version else name
    entries = named(of_name + (f"~{variant}" if variant else ""))
    if not entries and not version and not variant and isinstance(names.get(name), JITImpl):
        entries = [_specialised(names[name], name, _values(wanted, names), error)]
    if not entries:
        return None
    if not (found := alike(entries, wanted)):
        entry = entries[-1]
        if entry.impl is None or entry.version < max(e.version for e in named(name)):
            raise error(f"{of_name} was not compiled for {', '.join(f'{k}={v}' for k, v in wanted.items())}, and is not "
                        "the latest version of a jit function, which could be")
        parameters = {k: v for k, v in entry.constants.items() if k in entry.impl.signature.parameters or k in wanted}
        found = [known(entry.impl.compile(**{**parameters, **_values(wanted, names)}))]
    chosen = _latest(text, found)
    return _for_target(chosen, target, error) if target else chosen


def _values(wanted, names):
    """The constants in a kernel's name as values; text that is not an expression, such as a dtype, stays text."""
    out = {}
    for name, text in wanted.items():
        try:
            out[name] = eval(text, names)
        except (NameError, SyntaxError):
            out[name] = text
    return out


def no_kernel(text, error):
    parts = parts_of(text)
    older = {f"{e.name}#{e.version}" for e in named(parts[0])[:-1]} if parts else set()
    choices = sorted({e.name for e in registry} | older)
    said = f"no kernel {text}" if text else "name one kernel, or a call of it such as add(a, b)"
    raise error(said + (f"; there are {', '.join(choices)}" if choices else "; compile one first"))
