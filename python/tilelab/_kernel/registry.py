# SPDX-License-Identifier: Apache-2.0
"""Kernels by name: name#version[N=1024]@target. A kernel keeps its name; the registry holds the latest ones."""

import re

from .. import _core
from .._compiler.source import tree_of

_KEPT = 200  # kernels in the registry; the oldest are dropped first


class Known:
    """A kernel with its name; compile-time values that are defaults are not part of the name."""

    def __init__(self, kernel, name, version, constants, source, impl):
        self.kernel, self.name, self.version, self.constants = kernel, name, version, constants
        self.source, self.impl = source, impl
        self.variant = 0  # number of the edited IR: 1, 2, ...
        self.retargeted = False  # for inspection only: a short name still means the original kernel
        self.last_run, self.status = None, "compiled"
        self.pipelines = {}

    @property
    def short_name(self):
        return f"{self.name}#{self.version}" + (f"~{self.variant}" if self.variant else "")

    @property
    def explicit_constants(self):
        """The constants that differ from the defaults."""
        parameters = self.impl.signature.parameters if self.impl is not None else {}
        return {k: v for k, v in self.constants.items() if k not in parameters or plain(parameters[k].default) != v}

    @property
    def full_name(self):
        inside = ", ".join(f"{k}={v}" for k, v in self.explicit_constants.items())
        variant = f"~{self.variant}" if self.variant else ""
        return f"{self.name}#{self.version}{f'[{inside}]' if inside else ''}@{self.kernel.target}{variant}"

    def for_target(self, target):
        """This kernel for another target, compiled on demand."""
        for entry in reversed(registry):
            if (entry.name, entry.version, entry.constants, entry.variant, entry.kernel.target) == (
                    self.name, self.version, self.constants, self.variant, target):
                return entry
        if self.kernel._func.after:
            raise ValueError(f"{self.full_name} is edited IR for {self.kernel.target}, and cannot be compiled for another target")
        made = type(self.kernel)(self.kernel._func.changed(target=target, configs={"tilelab.require": ""}), self.kernel._returns_tuple, self.kernel.name,
                                 self.kernel._identity)
        entry = add(Known(made, self.name, self.version, self.constants, self.source, self.impl))
        entry.retargeted = True
        return entry

    def pipeline(self, target=""):
        """All snapshots, for another target if one is given."""
        if target not in self.pipelines:
            head, _, tail = self.full_name.rpartition("@")
            name = f"{head}@{target}{tail[len(self.kernel.target):]}" if target else self.full_name
            self.pipelines[target] = _core.views.pipeline_for(self.kernel._func, name, target) if target \
                else _core.views.pipeline(self.kernel._compilation, name)
        return self.pipelines[target]


registry = []


def known(kernel):
    """The entry of a kernel, made on demand."""
    return kernel._entry or remember(kernel)


def plain(value):
    """A compile-time value as names of kernels show it."""
    return value if isinstance(value, (int, float, str, bool)) else getattr(value, "__name__", str(value))


def remember(kernel, impl=None, constants=()):
    """Gives a kernel its name and version. The version changes if the source does, or the IR for the same constants and target."""
    if kernel._entry:
        return kernel._entry
    name = impl.__name__ if impl is not None else kernel.name
    text = kernel._func.text()
    source = tree_of(impl.func) if impl is not None else text
    chosen = {k: plain(v) for k, v in dict(constants).items()}
    same_name = [e for e in registry if e.name == name]
    version = max((e.version for e in same_name), default=0)
    latest = [e for e in same_name if e.version == version]
    changed = any(e.source != source for e in latest) or any(
        e.constants == chosen and e.kernel.target == kernel.target and e.kernel._func.text() != text for e in latest)
    return add(Known(kernel, name, version + 1 if changed or not latest else version, chosen, source, impl))


def add(entry):
    entry.kernel._entry = entry
    registry.append(entry)
    del registry[:-_KEPT]
    return entry


def parts_of(text):
    """(name, version, constants, target, variant) of a typed kernel name, missing parts ""; None for other texts."""
    if not (match := re.fullmatch(_FULL, text)):
        return None
    name, version, constants, target, variant = match.groups("")
    pairs = (part.split("=", 1) for part in constants.split(",") if "=" in part)
    return name, version, {k.strip(): v.strip() for k, v in pairs}, target, variant


_FULL = r"([A-Za-z_]\w*)(?:#(\d+))?(?:\[([^\]]*)\])?(?:@(\w+))?(?:~(\d+))?"


def named(text):
    """The entries that match a name, latest last; variants of edited IR only if the name has one."""
    if (parts := parts_of(text)) is None:
        return []
    name, version, wanted, target, variant = parts
    found = [e for e in registry if e.name == name and e.variant == int(variant or 0)]
    if version:
        found = [e for e in found if e.version == int(version)]
    if target:
        found = [e for e in found if e.kernel.target == target]
    return sorted(alike(found, wanted), key=lambda e: not e.retargeted)


def alike(entries, wanted):
    """The entries with these constants, {name: text}; those without further constants come last."""
    found = [e for e in entries if all(str(e.constants.get(k)) == v for k, v in wanted.items())]
    return sorted(found, key=lambda e: len(e.explicit_constants) <= len(wanted)) if wanted else found
