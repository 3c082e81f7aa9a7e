# SPDX-License-Identifier: Apache-2.0
"""The variables that a debugger panel shows while the program is not stopped: the user's names and what they contain."""

import reprlib
import sys

from .pristine import __builtins__  # unaffected by user code

MOST = 200  # children of one value
_HIDDEN = ("get_ipython", "debugpy", "exit", "quit")


class _Short(reprlib.Repr):
    def __init__(self):
        super().__init__()
        self.maxstring = self.maxother = 120

    def repr_instance(self, value, level):
        text = super().repr_instance(value, level)
        return " ".join(text.split())


def is_shown(shell, name):
    """Whether a panel lists the name: not those of the session, as In, _12 and __name__."""
    if name in shell.hidden or name in _HIDDEN or (name.startswith("__") and name.endswith("__")):
        return False
    return not (name.startswith("_") and name.lstrip("_i").isdigit())


def rich(value):
    """(data, metadata) of a value, as a cell would show it."""
    from .display import mime_bundle, pack

    import json

    data, metadata = pack(*mime_bundle(value))
    return {mime: json.loads(text) if mime.endswith("json") else text for mime, text in data.items()}, json.loads(metadata or "{}")


class Variables:
    """Lists values, and the children of those that it has listed, by number."""

    def __init__(self, shell):
        self._shell, self._known = shell, []

    def globals(self):
        """The user's variables. Numbers of earlier lists are no longer valid."""
        self._known = []
        names = self._shell.ns.copy()
        module = type(sys)
        return [self._one(name, value, name) for name, value in names.items()
                if is_shown(self._shell, name) and not isinstance(value, module)]

    def children(self, reference):
        """The children of a listed value."""
        if not 0 < reference <= len(self._known):
            return []
        value, path = self._known[reference - 1]
        return [self._one(name, child, f"{path}{access}") for name, access, child in _parts(value)]

    def _one(self, name, value, path):
        try:
            text = _Short().repr(value)
        except Exception as error:  # a user's __repr__
            text = f"<{type(value).__name__}: {type(error).__name__} in its repr>"
        reference = 0
        if _has_parts(value):
            self._known.append((value, path))
            reference = len(self._known)
        return {"name": name, "value": text, "type": type(value).__name__, "evaluateName": path, "variablesReference": reference}


def _has_parts(value):
    if isinstance(value, (str, bytes, int, float, complex, type, type(None))):
        return False
    return bool(value) if isinstance(value, (dict, list, tuple, set, frozenset)) else bool(getattr(value, "__dict__", None))


def _parts(value):
    """(name, how Python reads it, child) of at most MOST children."""
    from itertools import islice

    if isinstance(value, dict):
        return [(repr(key), f"[{key!r}]", child) for key, child in islice(list(value.items()), MOST)]
    if isinstance(value, (list, tuple)):
        return [(str(i), f"[{i}]", child) for i, child in enumerate(value[:MOST])]
    if isinstance(value, (set, frozenset)):
        return [(str(i), "", child) for i, child in enumerate(islice(list(value), MOST))]
    return [(name, f".{name}", child) for name, child in islice(list(vars(value).items()), MOST)]
