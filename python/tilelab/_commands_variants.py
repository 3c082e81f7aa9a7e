# SPDX-License-Identifier: Apache-2.0
"""%%ir: the text of the cell is IR; what it becomes is a kernel, a variant of the one it came from."""

import re

from . import _commands_kernels as kernels
from ._session_magic import CommandError, View


def command_ir_cell(shell, call):
    from . import _commands, _core
    from ._errors import CompileError
    from ._kernel import JITKernel

    for option in ("--level", "--spans", "--target"):
        if call.has(option):
            raise CommandError(f"{option} belongs to %ir, which shows; %%ir takes --after and --as")
    entry = _commands._one(shell, call, "%ir KERNEL --after PASS") if call.args else None
    after = call.options.get("--after", "")
    func, said = _core.read_ir(shell.cell_name, _placed(call, entry, after))
    if func is None:
        raise CompileError(said)
    if after and (func.after or "elaborate") != after:
        raise CommandError(f"the text's first line says that it stands after {func.after or 'elaboration'}, not {after}")
    kernel = JITKernel(func, returns_tuple=entry.kernel._returns_tuple if entry else False)
    left = [s["pass"] for s in kernel.passes() if s["pass"]]
    known = _variant_of(entry, kernel) if entry else kernels.remember(kernel)
    name = call.options.get("--as", "") or (f"{entry.name}_ir" if entry else func.name)
    if not name.isidentifier():
        raise CommandError(f"{name} is no name for a kernel")
    shell.ns[name] = kernel
    done = f"{len(left)} passes from {left[0]} to {left[-1]}" if left else "no pass is left"
    return View(f"{name} is {known.full_name}: {func.level} level, {done}\n", None,
                {"name": name, "kernel": known.full_name, "level": func.level, "passes": left})


def _placed(call, entry, after):
    """The text with its lines where they stand in the cell. Without a header it gets the one that
    the kernel has at that place, in the line of the command."""
    above = call.lines_above
    if re.search(r"^ir\(", call.cell, re.M) or entry is None:
        return "\n" * above + call.cell
    from . import _commands

    header = _commands._asking(entry.pipeline().text, after or "elaborate").partition("\n")[0]
    return "\n" * (above - 1) + header + "\n" + call.cell


def _variant_of(entry, kernel):
    made = kernels.Known(kernel, entry.name, entry.version, entry.constants, entry.source, entry.impl)
    made.variant = 1 + max(e.variant for e in kernels.registry
                           if (e.name, e.version) == (entry.name, entry.version))
    kernels.registry.append(made)
    return made
