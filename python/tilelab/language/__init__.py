# SPDX-License-Identifier: Apache-2.0
"""The language: `import tilelang.language as T`. Names come from the compiler's table of builtins."""

import enum as _enum

from .._compiler import builtin as _builtin, dtypes as _dtypes, source as _source
from .._compiler.bridge import Macro as _Macro
from .._compiler.extern_models import add_table as _add_table, extern_model
from .._compiler.symbols import PrimExpr, Symbolic, TensorType
from ..jit._prim_func import PrimFunc, prim_func
from ..layout import Fragment, Layout
from . import dtypes, macros as _written, tile_schedule as _tile_schedule

__all__ = ["GemmWarpPolicy", "Var", "Fragment", "Layout", "PrimExpr", "PrimFunc", "Ref", "extern_model", "macro", "prim_func", "dtype", "dtypes"]
__tilelang_dialect__ = "cuda"

dtype = _dtypes.dtype
Var = Symbolic  # the class of T.dynamic


class GemmWarpPolicy(_enum.IntEnum):
    """T.gemm's distribution of C over the warps of a block."""

    Square = 0
    FullRow = 1
    FullCol = 2


def macro(function):
    """A function that is elaborated in place where a kernel calls it."""
    return _Macro(function, _source.caller_locals())


def _extern_functions():
    from .extern_functions import MODELS

    return MODELS


_add_table(_extern_functions)


class Ref:
    """Annotation of a macro's parameter that is passed by reference."""

    def __class_getitem__(cls, item):
        return cls


def advice_for(name):
    """What T has instead of a name that it lacks, or an empty string."""
    from .. import _core

    return _core.help_for_name_of_t(name)


def __getattr__(name):
    from .. import _core, names

    if names.language.knows(name) or names.place_of(f"language.{name}"):
        return names.attributes(__name__)(name)
    help_text = _core.help_for_name_of_t(name)
    raise AttributeError(f"T has no {name}" + (f"; {help_text}" if help_text else ""), name=name)


def __dir__():
    """The working names, in display order; planned and refused ones report on use."""
    by_rank = {}
    for name in __all__:
        by_rank.setdefault(_rank(name), []).append(name)
    return [name for rank in sorted(by_rank) if rank < _NOT_OFFERED for name in sorted(by_rank[rank])]


_NOT_OFFERED = 9
_OF_PYTHON = _written.MACROS | _tile_schedule.CLASSES | {"meta_class": _tile_schedule.meta_class, "inline": macro}


def _rank(name):
    value = globals().get(name)
    if name.startswith("__"):
        return 3
    if isinstance(value, _builtin.Builtin):
        return {"works": 0, "accepted": 2}.get(value.status, _NOT_OFFERED)
    if isinstance(value, dtype):
        return 2 if value.lanes > 1 else 1
    return 0


for _name, _value in _builtin.Builtin.table.items():
    if _name not in ("Ref", "Layout", "Fragment"):
        globals()[_name] = _OF_PYTHON.get(_name, _value)
        __all__.append(_name)
for _name in dtypes.__all__[1:]:
    globals()[_name] = getattr(dtypes, _name)
    __all__.append(_name)
