# SPDX-License-Identifier: Apache-2.0
"""%%ir: compiles the IR in a cell; the kernel is a variant of the one it came from."""

import re

import _tilelab_host as host

from .. import _core
from .._compiler.errors import CompileError
from .._kernel.registry import Known, add, registry, remember
from .._session.view import CommandError, reject_if
from ..jit import JITKernel
from .arguments import asking, one, sentence


def command_ir_cell(shell, call):
    for option in ("--level", "--spans", "--target"):
        reject_if(call.has(option), f"{option} is an option of %ir; %%ir takes --after and --as")
    entry = one(shell, call, "%ir KERNEL --after PASS") if call.args else None
    after = call.options.get("--after", "")
    if entry and not call.cell.strip():
        return _prefilled(call, entry, after)
    func, said = _core.read_ir(shell.cell_name, _placed(call, entry, after))
    if func is None:
        raise CompileError(said)
    if after and (func.after or "elaborate") != after:
        raise CommandError(f"the first line of the text says that it is after {func.after or 'elaboration'}, not {after}")
    kernel = JITKernel(func, returns_tuple=entry.kernel._returns_tuple if entry else False)
    left = [s["pass"] for s in kernel.passes() if s["pass"]]
    known = _variant_of(entry, kernel) if entry else remember(kernel)
    name = call.options.get("--as", "") or (f"{entry.name}_ir" if entry else func.name)
    reject_if(not name.isidentifier(), f"{name} is not a valid name for a kernel")
    shell.ns[name] = kernel
    done = f"{len(left)} passes from {left[0]} to {left[-1]}" if left else "no pass remains"
    return sentence(f"{name} is {known.full_name}: {func.level} level, {done}",
                    {"name": name, "kernel": known.full_name, "level": func.level, "passes": left})


def _prefilled(call, entry, after):
    """Fills an empty cell with the IR to edit."""
    text = asking(entry.pipeline().text, after or "elaborate").partition("\n")[2]
    host.set_next_input(f"%%ir {call.line.strip()}\n{text}", True)
    where = f"after {after}" if after else "as elaborated"
    cell = "this" if host.captures() else "the next"  # a notebook replaces the cell, a shell prefills the next one
    return sentence(f"{cell} cell holds the IR of {entry.full_name}, {where}: edit it and run it")


def _placed(call, entry, after):
    """The text with its lines at their positions in the cell. A missing header is added in the line of the command."""
    above = call.lines_above
    if re.search(r"^ir\(", call.cell, re.M) or entry is None:
        return "\n" * above + call.cell
    header = asking(entry.pipeline().text, after or "elaborate").partition("\n")[0]
    return "\n" * (above - 1) + header + "\n" + call.cell


def _variant_of(entry, kernel):
    made = Known(kernel, entry.name, entry.version, entry.constants, entry.source, entry.impl)
    made.variant = 1 + max((e.variant for e in registry if (e.name, e.version) == (entry.name, entry.version)), default=0)
    return add(made)
