# SPDX-License-Identifier: Apache-2.0
"""Importable names of TileLang and TVM that tilelab lacks: the first use reports the status and the replacement."""

import importlib
import importlib.machinery
import sys
import types

from .table import place_of, row_of

_PACKAGE = __name__.rpartition(".")[0]


class NotHere(NotImplementedError):
    """A program used a name of TileLang or TVM that tilelab does not have."""


NotHere.__module__ = _PACKAGE


def public_name(name):
    """The user's spelling of a dotted name below the package."""
    return name if name.partition(".")[0] == "tvm" else f"tilelang.{name}"


class StandIn:
    """Stands in for an absent name: can be passed, annotated and asked for attributes; calls and instances raise NotHere."""

    def __init__(self, name):
        self.__name__ = self.__qualname__ = name

    def error(self):
        status, reason = row_of(self.__name__)
        what = "is planned, but not supported yet" if status == "planned" else "does not exist in tilelab"
        return NotHere(f"{public_name(self.__name__)} {what}. {reason}")

    def __call__(self, *args, **kwargs):
        raise self.error()

    def __getitem__(self, item):  # List[tirx.PrimExpr], in annotations
        return self

    def __or__(self, other):
        return self

    __ror__ = __or__

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return StandIn(f"{self.__name__}.{name}")

    def __instancecheck__(self, instance):
        return False

    def __mro_entries__(self, bases):
        """A base class, so that a file with a subclass can be imported; making an instance raises."""
        stand_in = self

        class Absent:
            def __new__(cls, *args, **kwargs):
                raise stand_in.error()

        return (Absent,)

    def __repr__(self):
        return f"<{public_name(self.__name__)}: {row_of(self.__name__)[0]}>"


def _moved(name):
    """The object at the new location of a name that moved; None if there is none."""
    place = place_of(name)
    found, path = sys.modules[_PACKAGE], _PACKAGE
    for part in place.split(".") if place else ():
        path = f"{path}.{part}"
        is_module = importlib.machinery.PathFinder.find_spec(path, getattr(found, "__path__", []))
        found = importlib.import_module(path) if is_module else getattr(found, part, None)
    return found if place else None


def attributes(module_name):
    """A module's __getattr__ that returns stand-ins: `__getattr__ = attributes(__name__)`."""
    below = module_name.partition(".")[2]

    def __getattr__(name):
        dotted = f"{below}.{name}"
        if (found := _moved(dotted)) is not None:
            return found
        if name.startswith("__") and name.endswith("__") or row_of(dotted) is None:
            raise AttributeError(f"module {public_name(below)!r} has no attribute {name!r}")
        return StandIn(dotted)

    return __getattr__


class Finder:
    """The last finder on sys.meta_path: makes the modules of the table that have no file."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        package, _, below = name.partition(".")
        if package != _PACKAGE or row_of(below) is None or any(p.startswith("__") for p in below.split(".")):
            return None
        return importlib.machinery.ModuleSpec(name, Finder, is_package=True)

    @staticmethod
    def create_module(spec):
        below = spec.name.partition(".")[2]
        status, reason = row_of(below)
        made = types.ModuleType(spec.name, f"{public_name(below)}, {status}: {reason}")
        made.__getattr__ = attributes(spec.name)
        return made

    @staticmethod
    def exec_module(module):
        pass
