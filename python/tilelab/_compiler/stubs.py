# SPDX-License-Identifier: Apache-2.0
"""The stub of tilelab.language for editors and type checkers, which cannot read the compiler's table of functions.
`python -m tilelab._compiler.stubs FILE` writes it; the build and the wheel do so."""

import sys
import textwrap

from . import dtypes
from .builtin import Builtin, document
from .host_functions import TYPES

_HEAD = '''"""The language of tile kernels. tilelab._compiler.stubs makes this file from the compiler's table of functions."""
import enum
from typing import Any

from tilelab._compiler.dtypes import dtype as dtype
from tilelab._compiler.extern_models import extern_model as extern_model
from tilelab._compiler.symbols import PrimExpr as PrimExpr, Symbolic as Var
from tilelab.jit._prim_func import PrimFunc as PrimFunc, prim_func as prim_func
from tilelab.layout import Fragment as Fragment, Layout as Layout

from . import dtypes as dtypes
from .dtypes import is_float4 as is_float4, is_float4_e2m1_unpacked as is_float4_e2m1_unpacked
from .dtypes import is_float4_e2m1fn as is_float4_e2m1fn, resolve_torch_storage_dtype as resolve_torch_storage_dtype

class GemmWarpPolicy(enum.IntEnum):
    Square = 0
    FullRow = 1
    FullCol = 2

class Ref:
    def __class_getitem__(cls, item: Any) -> Any: ...

def macro(function: Any) -> Any:
    """A function that is elaborated in place where a kernel calls it."""
'''
_BY_HEAD = ("Fragment", "Layout", "Ref", "Var", "PrimExpr", "macro", "prim_func")


def language():
    """The text of the stub: every working name, with its signature, parameters, semantics and rules."""
    out = [_HEAD]
    for name, row in Builtin.table.items():
        if row.status in ("works", "accepted") and name not in _BY_HEAD:
            out.append((_type if name in TYPES else _function)(name, row))
    out += [f"{name}: dtype\n" for name in dtypes.names() if name not in Builtin.table]
    return "\n".join(out)


def _function(name, row):
    return f"def {name}({row.signature}) -> Any:\n{_doc(name)}\n"


def _type(name, row):
    return f"class {name}:\n{_doc(name)}\n    def __init__(self, {row.signature}) -> None: ...\n    def __class_getitem__(cls, item: Any) -> Any: ...\n"


def _doc(name):
    text = document("T." + name).partition("\nTargets\n---")[0].strip()
    text = text.replace("\\", "\\\\").replace('"""', r"\"\"\"")
    return textwrap.indent(f'"""{text}\n"""', "    ")


if __name__ == "__main__":
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(language())
